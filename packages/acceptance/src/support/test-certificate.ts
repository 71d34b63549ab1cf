import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** A certificate for localhost and 127.0.0.1, valid until 2120. Its key is public: only tests trust it. */
export const testCertificate = {
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgxQx5ftUn7ZOsQK59
u4X4Db5b9EgWFnRQHwzYIWvqxNKhRANCAARMZ7b4Q2QgCrQ3OaFSL7XrGaTHJipg
2WK5wlIJZnrfaxzpxYQVLTk/H82r9mDFX27GHnMEsB8EF67BEbot4e7M
-----END PRIVATE KEY-----`,
  cert: `-----BEGIN CERTIFICATE-----
MIIBdjCCAR2gAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFTd2l0Y2hi
b2FyZCB0ZXN0czAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRU3dpdGNoYm9hcmQgdGVzdHMwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAARMZ7b4Q2QgCrQ3OaFSL7XrGaTHJipg2WK5wlIJZnrfaxzpxYQVLTk/H82r
9mDFX27GHnMEsB8EF67BEbot4e7Mo04wTDAaBgNVHREEEzARgglsb2NhbGhvc3SH
BH8AAAEwDwYDVR0TAQH/BAUwAwEB/zAdBgNVHQ4EFgQUvesPo5UPWatHCrH1s1Fg
e502OxMwCgYIKoZIzj0EAwIDRwAwRAIgX3lEf58bDasm5gY5HY2gxqlGesifNVOt
0hXGJQJDujYCIBp5V3qM2f4qoSrp3BOqppdAzCfx5XP9sHbUeCzFk9Qr
-----END CERTIFICATE-----`,
};

/** The environment with which another process trusts the certificate. */
export async function trustTestCertificate(): Promise<Readonly<Record<string, string>>> {
  const file = join(tmpdir(), 'switchboard-test-ca.pem');
  await writeFile(file, testCertificate.cert);
  return { NODE_EXTRA_CA_CERTS: file };
}

/** The process of the test trusts the certificate until the returned function is called. */
export function trustTestCertificateHere(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, testCertificate.cert]);
  return () => setDefaultCACertificates(before);
}
