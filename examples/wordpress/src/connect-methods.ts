import { keyLogin, requiredField } from '@switchboard/platform-kit/manifest-defaults';

export const applicationPassword = keyLogin({
  id: 'application_password',
  label: 'Connect with an application password',
  fields: [
    requiredField('url', 'site', 'Address of the site', '', 'https://blog.example'),
    requiredField('handle', 'username', 'User name', ''),
    requiredField('password', 'password', 'Application password', 'Users, Profile, Application Passwords.'),
  ],
  keyForm: {
    serverField: 'site',
    send: { kind: 'basic', nameField: 'username', passwordField: 'password', ignoresSpaces: true },
  },
});
