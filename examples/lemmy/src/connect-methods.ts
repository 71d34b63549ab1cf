import { passwordLogin, requiredField } from '@switchboard/platform-kit/manifest-defaults';

export const password = passwordLogin({
  id: 'password',
  label: 'Log in to your server',
  fields: [
    requiredField('instance', 'server', 'Server', 'The server of your account.', 'lemmy.world'),
    requiredField('handle', 'username', 'User name or e-mail address', ''),
    requiredField('password', 'password', 'Password', ''),
    {
      ...requiredField('text', 'code', 'Code', 'Only if you use two-factor authentication.', '123456'),
      required: false,
    },
  ],
  passwordLogin: {
    serverField: 'server',
    login: {
      path: '/api/v3/user/login',
      body: { username_or_email: '{username}', password: '{password}', totp_2fa_token: '{code}' },
    },
    response: { token: ['jwt'] },
    send: { kind: 'bearer' },
    // A token works until its owner logs out or changes the password.
    renewal: 'none',
    logout: { path: '/api/v3/user/logout', bearer: 'token' },
    fieldErrors: { missing_totp_token: 'code', incorrect_totp_token: 'code' },
  },
});
