import assert from 'node:assert/strict';

import {
  hasSecretArguments,
  isSecretName,
  isSecretValue,
} from '../../../../src/engine/options/secretDetection.ts';

describe('engine/options/secretDetection', () => {
  it('recognizes the names of secrets', () => {
    const names = (
      'MYSQL_PWD DB_PWD DB_PW PGPASS REDISPASS DB_PASS dbPass PASS1 POSTGRES_PASSWORD PASSWD ' +
      'PASSPHRASE DB_PASSWORD_FILE client_secret GITHUB_PAT GITHUB_TOKEN SENTRY_DSN AWS_CREDS ' +
      'GOOGLE_CREDENTIALS AUTH OAUTH AUTHORIZATION BASIC_AUTH_USERS traefik.auth KEY KEY_1 ' +
      'APP_KEYS API_KEY apikey AWS_SECRET_ACCESS_KEY SSHKEY'
    ).split(' ');
    assert.deepEqual(names.filter(isSecretName), names);
  });

  it('does not match words that only contain the letters of a secret', () => {
    const names = (
      'PATH PATTERN PATCH PWD OLDPWD KEYBOARD MONKEY HOCKEY KEYCLOAK PASSAGE PASSENGERS COMPASS ' +
      'BYPASS SURPASS AUTHOR AUTHORS AUTHORITY TOKENIZERS_PARALLELISM SSH_AUTH_SOCK TZ HOME ' +
      'NODE_ENV SPAWN SACRED org.opencontainers.image.authors'
    ).split(' ');
    assert.deepEqual(names.filter(isSecretName), []);
  });

  it('recognizes the values of secrets', () => {
    const values = [
      ...['ghp_0123456789abcdef', 'gho_0123456789abcdef', 'github_pat_11AA', 'glpat-abc'],
      ...['AKIAIOSFODNN7EXAMPLE', 'xoxb-12-34', 'sk-proj0123456789', 'eyJhbGciOi.eyJzdWIi.c2ln'],
      ...['-----BEGIN RSA PRIVATE KEY-----\nMII', '-----BEGIN PRIVATE KEY-----'],
      ...['postgres://me:pw@db/x', 'redis://:pw@cache'],
    ];
    assert.deepEqual(values.filter(isSecretValue), values);
    const harmless = ['sk-SK', 'disk-0123456', 'http://host:80/x@y', 'eyJ', 'AKIA', 'github', ''];
    assert.deepEqual(harmless.filter(isSecretValue), []);
    assert(!isSecretValue('-----BEGIN CERTIFICATE-----'));
  });

  it('recognizes secrets in the arguments of a command', () => {
    const secret = [
      ...['--requirepass', '--token=x', 'sh -c "MYSQL_PWD=x mysqldump"', '--app-keys=x'],
      ...['Authorization: Bearer ghp_0123456789', 'postgres://me:pw@db'],
    ];
    assert.deepEqual(
      secret.filter((word) => hasSecretArguments([word])),
      secret,
    );
    assert(!hasSecretArguments(['monkey', 'author', '--path=/x', 'a==b', '--author=me', '']));
  });
});
