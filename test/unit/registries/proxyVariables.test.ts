import assert from 'node:assert/strict';
import {
  readProxyVariables,
  withoutProxyVariables,
  withProxyVariables,
} from '../../../src/registries/proxyVariables.ts';
import { machineWith } from '../engine/discovery/fakeFiles.ts';

const FILE = '/home/me/.docker/config.json';
const HOST = 'unix:///var/run/docker.sock';

function read(config: unknown, host = HOST): Promise<Readonly<Record<string, string>>> {
  return readProxyVariables(machineWith({ [FILE]: JSON.stringify(config) }, {}), host);
}

describe('registries: the proxies of the Docker configuration file', () => {
  it('are variables in both cases, without empty ones', async () => {
    const proxies = { default: { httpProxy: 'http://p', noProxy: 'a,b', ftpProxy: '' } };
    assert.deepEqual(await read({ proxies }), {
      HTTP_PROXY: 'http://p',
      http_proxy: 'http://p',
      NO_PROXY: 'a,b',
      no_proxy: 'a,b',
    });
    const all = { httpsProxy: '1', ftpProxy: '2', allProxy: '3' };
    assert.deepEqual(Object.keys(await read({ proxies: { default: all } })), [
      ...['HTTPS_PROXY', 'https_proxy', 'FTP_PROXY', 'ftp_proxy', 'ALL_PROXY', 'all_proxy'],
    ]);
  });

  it('are those of the engine alone, if it has an entry', async () => {
    const proxies = { default: { httpProxy: 'a' }, 'tcp://h:1': { httpsProxy: 'b' } };
    assert.deepEqual(await read({ proxies }, 'tcp://h:1'), { HTTPS_PROXY: 'b', https_proxy: 'b' });
    assert.deepEqual(await read({ proxies }, 'tcp://h:2'), { HTTP_PROXY: 'a', http_proxy: 'a' });
  });

  it('are none if nothing valid is configured', async () => {
    for (const config of [{}, [], { proxies: 7 }, { proxies: { default: { httpProxy: 7 } } }])
      assert.deepEqual(await read(config), {});
    assert.deepEqual(await readProxyVariables(machineWith({}, {}), HOST), {});
  });

  it('are added unless the environment sets or unsets them, and removed only as they are', () => {
    const proxies = { HTTP_PROXY: 'p', http_proxy: 'p', NO_PROXY: 'n' };
    const env = withProxyVariables(['A=1', 'HTTP_PROXY=own', 'NO_PROXY'], proxies);
    assert.deepEqual(env, ['A=1', 'HTTP_PROXY=own', 'NO_PROXY', 'http_proxy=p']);
    assert.deepEqual(withoutProxyVariables(env, proxies), ['A=1', 'HTTP_PROXY=own', 'NO_PROXY']);
  });
});
