import assert from 'node:assert/strict';
import { dirname } from 'node:path';

import type { Machine, TlsMaterial } from '../../../../src/engine/http/endpoint.ts';
import type {
  EngineEntry,
  EndpointCandidate,
} from '../../../../src/engine/discovery/endpointCandidate.ts';
import {
  discoverEndpoints,
  settingCandidate,
} from '../../../../src/engine/discovery/discoverEndpoints.ts';
import { readEngineConfig } from '../../../../src/engine/discovery/engineConfig.ts';
import { contextFile, contextText, LOCKED, machineWith, SOCKET } from './fakeFiles.ts';

const CONFIG = '/home/me/.docker/config.json';
const contexts = {
  [contextFile('one')]: contextText('one', 'unix:///one.sock'),
  [contextFile('two')]: contextText('two', 'tcp://two:1'),
};
const current = (name: string): Record<string, string> => ({
  [CONFIG]: JSON.stringify({ currentContext: name }),
});

async function only(setting: string, machine: Machine): Promise<EndpointCandidate> {
  const { candidates, isChosen } = await discoverEndpoints(
    setting,
    await readEngineConfig(machine),
  );
  assert.equal(isChosen, true);
  assert.equal(candidates.length, 1);
  return candidates[0]!;
}

async function urls(machine: Machine): Promise<(string | undefined)[]> {
  return (await discoverEndpoints('', await readEngineConfig(machine))).candidates.map(
    (candidate) => candidate.endpoint?.url,
  );
}

/** Returns the certificates without the folder that they come from. */
function withoutFolder(tls: TlsMaterial | undefined): Partial<TlsMaterial> | undefined {
  return tls && (({ folder: _folder, ...rest }) => rest)(tls);
}

describe('the selected engine', () => {
  const files = { ...contexts, ...current('one') };
  const env = { DOCKER_HOST: 'tcp://h:5', DOCKER_CONTEXT: 'two' };

  it('is taken from the setting, then from DOCKER_HOST, DOCKER_CONTEXT, and the current context', async () => {
    const bySetting = await only('tcp://set:1', machineWith(files, env));
    assert.deepEqual(
      [bySetting.endpoint?.url, bySetting.found],
      ['tcp://set:1', { kind: 'setting' }],
    );
    const byHost = await only(' ', machineWith(files, env));
    assert.deepEqual(byHost.found, { kind: 'variable', name: 'DOCKER_HOST' });
    assert.deepEqual([byHost.endpoint?.url, byHost.endpoint?.source], ['tcp://h:5', 'environment']);
    const byVariable = await only(
      '',
      machineWith(files, { DOCKER_CONTEXT: 'two', DOCKER_HOST: '' }),
    );
    assert.deepEqual(byVariable.found, {
      kind: 'context',
      name: 'two',
      chosenBy: 'DOCKER_CONTEXT',
    });
    assert.deepEqual([byVariable.name, byVariable.endpoint?.url], ['two', 'tcp://two:1']);
    const byFile = await only('', machineWith(files));
    assert.deepEqual(byFile.found, { kind: 'context', name: 'one', chosenBy: 'config.json' });
    assert.deepEqual(
      [byFile.endpoint?.url, byFile.endpoint?.source],
      ['unix:///one.sock', 'context'],
    );
  });

  it('may be a context named in the setting', async () => {
    const candidate = await only('context:two', machineWith(files, env));
    assert.deepEqual(candidate.found, { kind: 'context', name: 'two', chosenBy: 'setting' });
    assert.equal(candidate.endpoint?.url, 'tcp://two:1');
  });

  it('is not set if all sources are empty or invalid', async () => {
    for (const text of ['', '{', '[]', 'null', '{"currentContext":5}', '{"currentContext":""}']) {
      const { isChosen } = await discoverEndpoints(
        '',
        await readEngineConfig(machineWith({ ...contexts, [CONFIG]: text })),
      );
      assert.equal(isChosen, false, text);
    }
    const locked = await discoverEndpoints(
      '',
      await readEngineConfig(machineWith({ [CONFIG]: LOCKED })),
    );
    assert.equal(locked.isChosen, false);
  });

  it('is read from config.json regardless of case', async () => {
    const machine = machineWith({ ...contexts, [CONFIG]: '{"CurrentContext":"two"}' });
    assert.equal((await only('', machine)).name, 'two');
  });

  it('is read from the folder of DOCKER_CONFIG, including contexts', async () => {
    const moved = Object.fromEntries(
      Object.entries(files).map(([path, text]) => [path.replace('/home/me/.docker', '/cfg'), text]),
    );
    const candidate = await only('', machineWith(moved, { DOCKER_CONFIG: '/cfg' }));
    assert.equal(candidate.endpoint?.url, 'unix:///one.sock');
    const relative = await only('', machineWith(files, { DOCKER_CONFIG: 'cfg' }));
    assert.deepEqual(relative, await only('', machineWith(files)));
    const nowhere = await discoverEndpoints(
      '',
      await readEngineConfig(machineWith(files, { DOCKER_CONFIG: '/cfg' })),
    );
    assert.equal(nowhere.isChosen, false);
  });

  it('has an error and no alternative if its context does not exist', async () => {
    for (const [env, chosenBy] of [
      [{ DOCKER_CONTEXT: 'gone' }, 'DOCKER_CONTEXT'],
      [{}, 'config.json'],
    ] as const) {
      const machine = machineWith({ ...current('gone'), '/var/run/docker.sock': SOCKET }, env);
      const { endpoint, error, found } = await only('', machine);
      assert.equal(endpoint, undefined);
      assert.deepEqual([error?.reason, error?.engineMessage], ['contextMissing', 'gone']);
      assert.deepEqual(found, { kind: 'context', name: 'gone', chosenBy });
    }
  });

  it('may be the default context, which has only the default socket', async () => {
    const candidate = await only('', machineWith(files, { DOCKER_CONTEXT: 'default' }));
    assert.equal(candidate.endpoint?.url, 'unix:///var/run/docker.sock');
    const windows = machineWith({}, { DOCKER_CONTEXT: 'default' }, { platform: 'win32' });
    assert.equal((await only('', windows)).endpoint?.url, 'npipe:////./pipe/docker_engine');
  });

  it('has an error without secrets if its address is invalid', async () => {
    const candidate = await only('', machineWith({}, { DOCKER_HOST: 'ssh://me:s3cret@h' }));
    assert.equal(candidate.error?.reason, 'badEndpoint');
    assert(!JSON.stringify(candidate).includes('s3cret'));
  });

  const loose: [host: string, url: string][] = [
    ['unix://', 'unix:///var/run/docker.sock'],
    ['tcp://', 'tcp://localhost'],
    ['tcp://:7', 'tcp://localhost:7'],
    ['h', 'tcp://h'],
    ['h.lan:7/base', 'tcp://h.lan:7/base'],
    ['[::1]:7', 'tcp://[::1]:7'],
  ];
  for (const [host, url] of loose) {
    it(`may be a DOCKER_HOST without the default parts: ${host}`, async () => {
      const candidate = await only('', machineWith({}, { DOCKER_HOST: host }));
      assert.equal(candidate.endpoint?.url, url);
    });
  }
});

describe('contexts', () => {
  const choose = (files: Record<string, string | symbol>): Promise<EndpointCandidate> =>
    only('context:c', machineWith(files));

  for (const text of [
    ...[
      '',
      '{',
      'null',
      '[]',
      '{}',
      '{"Endpoints":{}}',
      '{"Endpoints":{"kubernetes":{"Host":"x"}}}',
    ],
    ...[contextText('c', ''), contextText('c', 'http://h'), contextText('c', 'ssh://-oX=y')],
    LOCKED,
  ]) {
    it(`have the error contextBroken if their file is ${String(text)}`, async () => {
      const { error, endpoint } = await choose({ [contextFile('c')]: text });
      assert.deepEqual([error?.reason, error?.engineMessage], ['contextBroken', 'c']);
      assert.equal(endpoint, undefined);
    });
  }

  it('are found by names in any script, and a name is never used as a path', async () => {
    for (const name of ['größe-日本', '../../etc/passwd', '__proto__']) {
      const files = { [contextFile(name)]: contextText(name, '/x.sock') };
      const candidate = await only(`context:${name}`, machineWith(files));
      assert.equal(candidate.endpoint?.url, 'unix:///x.sock', name);
    }
  });

  it('use their own certificates and trust only their own CA', async () => {
    const { endpoint } = await choose({
      [contextFile('c')]: contextText('c', 'tcp://h'),
      [contextFile('c', 'ca.pem')]: 'CA',
      [contextFile('c', 'cert.pem')]: 'CERT',
      [contextFile('c', 'key.pem')]: 'KEY',
    });
    const folder = dirname(contextFile('c', 'ca.pem'));
    const tls = { verify: true, ca: 'CA', isCaAlone: true, cert: 'CERT', key: 'KEY', folder };
    const transport = { kind: 'tcp', host: 'h', port: 2376, base: '', tls };
    assert.deepEqual(endpoint?.transport, transport);
  });

  it('use the certificates that exist, but no certificate or key without the other', async () => {
    const tlsOf = async (files: Record<string, string | symbol>, more = {}): Promise<unknown> => {
      const text = contextText('c', 'tcp://h:1', more);
      const { transport } = (await choose({ [contextFile('c')]: text, ...files })).endpoint!;
      return 'tls' in transport ? withoutFolder(transport.tls) : undefined;
    };
    assert.deepEqual(await tlsOf({ [contextFile('c', 'ca.pem')]: 'CA' }), {
      ...{ verify: true, ca: 'CA', isCaAlone: true },
    });
    assert.deepEqual(await tlsOf({ [contextFile('c', 'cert.pem')]: 'CERT' }), { verify: true });
    assert.deepEqual(await tlsOf({ [contextFile('c', '')]: '' }), { verify: true });
    assert.deepEqual(await tlsOf({}, { SkipTLSVerify: true }), { verify: false });
    assert.equal(await tlsOf({}), undefined);
  });

  it('have an error if a certificate exists but cannot be read', async () => {
    const files = {
      [contextFile('c')]: contextText('c', 'tcp://h'),
      [contextFile('c', 'key.pem')]: LOCKED,
    };
    const { error } = await choose(files);
    assert.deepEqual([error?.reason, error?.engineMessage], ['certificateUnusable', 'c']);
  });

  it('ignore certificates if their address is a socket or uses ssh', async () => {
    for (const host of ['unix:///x.sock', 'npipe:////./pipe/x', 'ssh://me@h']) {
      const text = contextText('c', host, { SkipTLSVerify: true });
      const { endpoint } = await choose({
        [contextFile('c')]: text,
        [contextFile('c', 'key.pem')]: LOCKED,
      });
      assert(endpoint && !('tls' in endpoint.transport), host);
    }
  });

  it('do not follow the TLS variables', async () => {
    const machine = machineWith(contexts, { DOCKER_CONTEXT: 'two', DOCKER_TLS_VERIFY: '1' });
    const { endpoint } = await only('', machine);
    assert(endpoint?.transport.kind === 'tcp' && endpoint.transport.tls === undefined);
  });
});

describe('TLS by variables', () => {
  const tlsOf = async (
    env: Record<string, string>,
    files: Record<string, string | symbol> = {},
  ): Promise<unknown> => {
    const { endpoint } = await only('', machineWith(files, { DOCKER_HOST: 'tcp://h', ...env }));
    assert(endpoint?.transport.kind === 'tcp');
    assert.equal(endpoint.transport.port, endpoint.transport.tls ? 2376 : 2375);
    return withoutFolder(endpoint.transport.tls);
  };

  it('is requested by the presence of a variable, regardless of its value', async () => {
    for (const value of ['1', '0', 'false', ' ']) {
      assert.deepEqual(await tlsOf({ DOCKER_TLS_VERIFY: value }), { verify: true }, value);
      assert.deepEqual(await tlsOf({ DOCKER_TLS: value }), { verify: false }, value);
    }
    assert.deepEqual(await tlsOf({ DOCKER_TLS: '1', DOCKER_TLS_VERIFY: '0' }), { verify: true });
    assert.equal(await tlsOf({ DOCKER_TLS: '', DOCKER_TLS_VERIFY: '' }), undefined);
    assert.equal(await tlsOf({ DOCKER_CERT_PATH: '/certs' }, { '/certs/ca.pem': 'CA' }), undefined);
  });

  it('uses the files of DOCKER_CERT_PATH, else of the Docker folder, and trusts the default CAs, too', async () => {
    const files = {
      '/certs/ca.pem': 'CA1',
      '/home/me/.docker/ca.pem': 'CA2',
      '/cfg/ca.pem': 'CA3',
    };
    for (const [ca, env] of [
      ['CA1', { DOCKER_CERT_PATH: '/certs' }],
      ['CA2', {}],
      ['CA3', { DOCKER_CONFIG: '/cfg' }],
    ] as const) {
      const found = await tlsOf({ DOCKER_TLS_VERIFY: '1', ...env }, files);
      assert.deepEqual(found, { verify: true, ca, isCaAlone: false });
    }
  });

  it('trusts only the default CAs if there is no Docker folder', async () => {
    const env = { DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1' };
    const { endpoint } = await only('', machineWith({}, env, { home: '' }));
    assert(endpoint?.transport.kind === 'tcp');
    assert.deepEqual(endpoint.transport.tls, { verify: true });
  });

  it('applies to the setting, but not to a socket', async () => {
    const machine = machineWith({ '/home/me/.docker/ca.pem': LOCKED }, { DOCKER_TLS_VERIFY: '1' });
    assert.equal((await only('tcp://h', machine)).error?.reason, 'certificateUnusable');
    assert.equal((await only('/x.sock', machine)).endpoint?.url, 'unix:///x.sock');
  });

  it('replaces the default socket if no engine is selected', async () => {
    const machine = machineWith({}, { DOCKER_TLS_VERIFY: '1' });
    assert.deepEqual((await urls(machine)).slice(0, 2), [
      'tcp://localhost:2376',
      'unix:///var/run/docker.sock',
    ]);
  });
});

describe('headers and API version', () => {
  const extras = async (
    env: Record<string, string>,
    HttpHeaders: unknown = {},
  ): Promise<unknown> => {
    const files = { [CONFIG]: JSON.stringify({ HttpHeaders }) };
    const { endpoint } = await only('', machineWith(files, { DOCKER_HOST: '/x.sock', ...env }));
    return [endpoint?.headers, endpoint?.pinnedApi];
  };

  it('include the headers of config.json, except invalid ones and those of HTTP itself', async () => {
    assert.deepEqual(await extras({}, { 'X-Meta': 'a b', Authorization: 'x' }), [
      { 'X-Meta': 'a b', Authorization: 'x' },
      undefined,
    ]);
    const wrong = {
      'a b': 'x',
      'X-1': 'a\r\nb',
      'X-2': 5,
      'X-3': '',
      'X-4': '日',
      '': 'x',
      'x:y': 'z',
    };
    const ours = { host: 'x', 'Content-Length': '1', 'TRANSFER-encoding': 'x', Connection: 'x' };
    assert.deepEqual(await extras({}, { ...wrong, ...ours }), [undefined, undefined]);
    for (const value of [null, [], 'x', 5]) {
      assert.deepEqual(await extras({}, value), [undefined, undefined]);
    }
  });

  const lists: [text: string, headers: Record<string, string>][] = [
    ['a=1', { a: '1' }],
    [
      'one=one-value,"two=two,value","three= a ",four=,five=five=one,five=five-two',
      {
        ...{ one: 'one-value', two: 'two,value', three: ' a ', five: 'five-two' },
      },
    ],
    [' a =1,A=2', { A: '2' }],
    ['"a=say ""hi"""', { a: 'say "hi"' }],
    // Invalid lists leave the headers of the file in place.
    ...['a', '=1', 'a=1,', 'a=1,,b=2', '"a=1', 'a="1"', 'host=x', ','].map(
      (text): [string, Record<string, string>] => [text, { X: 'file' }],
    ),
  ];
  for (const [text, headers] of lists) {
    it(`replace the headers of the file by those of DOCKER_CUSTOM_HEADERS ${JSON.stringify(text)}`, async () => {
      assert.deepEqual(await extras({ DOCKER_CUSTOM_HEADERS: text }, { X: 'file' }), [
        headers,
        undefined,
      ]);
    });
  }

  it('are read quickly even from a long invalid list', async () => {
    const text = `"${'""'.repeat(50_000)}`;
    assert.deepEqual(await extras({ DOCKER_CUSTOM_HEADERS: text }), [undefined, undefined]);
  });

  it('include the version of DOCKER_API_VERSION if it is valid', async () => {
    assert.deepEqual(await extras({ DOCKER_API_VERSION: '1.41' }), [undefined, '1.41']);
    for (const text of ['', '1', '1.', '.41', '1.41.0', 'latest', '1.41/../x', '1.41\n1']) {
      assert.deepEqual(await extras({ DOCKER_API_VERSION: text }), [undefined, undefined], text);
    }
  });

  it('omit the headers for an address in the settings that the Docker CLI does not know', async () => {
    const machine = machineWith(
      { ...contexts, [CONFIG]: JSON.stringify({ HttpHeaders: { X: 'secret' } }) },
      { DOCKER_HOST: 'tcp://known:1', DOCKER_API_VERSION: '1.41' },
    );
    for (const [address, headers] of [
      ['tcp://elsewhere:1', undefined],
      ['/x.sock', undefined],
      ['tcp://known:1', { X: 'secret' }],
      ['tcp://two:1', { X: 'secret' }],
      ['/var/run/docker.sock', { X: 'secret' }],
      ['context:two', { X: 'secret' }],
    ] as const) {
      for (const { endpoint } of [
        await settingCandidate('mine', address, await readEngineConfig(machine)),
        await only(address, machine),
      ]) {
        assert.deepEqual([endpoint?.headers, endpoint?.pinnedApi], [headers, '1.41'], address);
      }
    }
  });

  it('apply to contexts and to the well-known sockets of Docker, but not to those of Podman', async () => {
    const machine = machineWith(contexts, { DOCKER_API_VERSION: '1.41' });
    const context = await only('context:one', machine);
    assert.equal(context.endpoint?.pinnedApi, '1.41');
    const { candidates } = await discoverEndpoints('', await readEngineConfig(machine));
    for (const { name, endpoint } of candidates) {
      assert.equal(endpoint?.pinnedApi, name.startsWith('Podman') ? undefined : '1.41', name);
    }
  });
});

describe('the steps of the search', () => {
  const looked = async (setting: string, machine: Machine): Promise<string[]> =>
    (await discoverEndpoints(setting, await readEngineConfig(machine))).steps.map(
      ({ where, result, value, isDecisive }) =>
        `${isDecisive ? '> ' : ''}${where}: ${result}${value === undefined ? '' : ` ${value}`}`,
    );

  it('list every source in order of precedence, even if it is not set', async () => {
    assert.deepEqual(await looked('', machineWith({})), [
      ...['gantry.host: notSet', 'DOCKER_HOST: notSet', 'DOCKER_CONTEXT: notSet'],
      ...['DOCKER_CONFIG: notSet', `${CONFIG}: absent`, '/home/me/.docker/contexts/meta: absent'],
      ...['DOCKER_TLS_VERIFY: notSet', 'DOCKER_TLS: notSet', 'DOCKER_CERT_PATH: notSet'],
      ...['DOCKER_API_VERSION: notSet', 'DOCKER_CUSTOM_HEADERS: notSet', 'XDG_RUNTIME_DIR: notSet'],
      '/home/me/.config/containers/podman-connections.json: absent',
      '/home/me/.config/containers/containers.conf: absent',
    ]);
  });

  it('contain the value of each source and mark the one that selected the engine', async () => {
    const files = {
      ...contexts,
      ...current('one'),
      '/home/me/.config/containers/containers.conf': '',
    };
    const env = {
      DOCKER_CONTEXT: 'two',
      DOCKER_API_VERSION: 'x',
      DOCKER_TLS: '1',
      DOCKER_HOST: '',
    };
    const lines = await looked('', machineWith(files, env));
    for (const line of [
      ...['DOCKER_HOST: notSet', '> DOCKER_CONTEXT: set two', `${CONFIG}: found one`],
      ...['/home/me/.docker/contexts/meta: found 2', 'DOCKER_API_VERSION: damaged x'],
      ...['DOCKER_TLS: set 1', '/home/me/.config/containers/containers.conf: found 0'],
    ]) {
      assert(lines.includes(line), `${line} in ${lines.join('\n')}`);
    }
    assert((await looked('', machineWith({ [CONFIG]: '{' }))).includes(`${CONFIG}: damaged`));
    assert((await looked('', machineWith(current('x')))).includes(`> ${CONFIG}: found x`));
    assert.equal((await looked('context:x', machineWith({})))[0], '> gantry.host: set context:x');
  });

  it('contain no secrets', async () => {
    const machine = machineWith(
      {
        [CONFIG]: '{"HttpHeaders":{"X":"s3cret"},"auths":{"r":{"auth":"s3cret"}}}',
        '/c/key.pem': 's3cret',
      },
      {
        DOCKER_HOST: 'tcp://me:s3cret@h',
        DOCKER_CUSTOM_HEADERS: 'X=s3cret',
        DOCKER_CERT_PATH: '/c',
        DOCKER_TLS: '1',
      },
    );
    const text = (await looked('ssh://me:s3cret@h', machine)).join('\n');
    assert.match(text, /DOCKER_CUSTOM_HEADERS: set$/m);
    assert(!text.includes('s3cret'), text);
  });
});

describe('entries of the setting', () => {
  const files = {
    ...contexts,
    '/certs/ca.pem': 'CA',
    '/home/me/certs/ca.pem': 'HOME',
    '/empty/x': '',
  };
  const candidate = async (entry: unknown): Promise<EndpointCandidate> =>
    settingCandidate('mine', entry as EngineEntry, await readEngineConfig(machineWith(files)));

  it('may be addresses, sockets, or contexts, and keep their name', async () => {
    for (const [entry, url] of [
      ['tcp://h:1', 'tcp://h:1'],
      ['h:1', 'tcp://h:1'],
      [' /x.sock ', 'unix:///x.sock'],
      ['~/x.sock', 'unix:///home/me/x.sock'],
      ['ssh://me@h', 'ssh://me@h'],
      ['context:two', 'tcp://two:1'],
      [{ host: 'context:two' }, 'tcp://two:1'],
      [{ host: '/x.sock', certPath: '/nowhere' }, 'unix:///x.sock'],
    ] as const) {
      const { name, endpoint, found } = await candidate(entry);
      assert.deepEqual([name, endpoint?.url], ['mine', url]);
      assert.equal(found.kind, url.includes('two') ? 'context' : 'setting');
    }
  });

  it('may have their own TLS options', async () => {
    const tlsOf = async (entry: EngineEntry): Promise<unknown> => {
      const { endpoint } = await candidate(entry);
      return endpoint && 'tls' in endpoint.transport
        ? withoutFolder(endpoint.transport.tls)
        : undefined;
    };
    const host = 'tcp://h';
    const ca = { ca: 'CA', isCaAlone: true };
    assert.deepEqual(await tlsOf({ host, certPath: '/certs' }), { verify: true, ...ca });
    assert.deepEqual(await tlsOf({ host, certPath: '/certs', skipTlsVerify: true }), {
      verify: false,
      ...ca,
    });
    assert.deepEqual(await tlsOf({ host, certPath: '~/certs' }), {
      verify: true,
      ...ca,
      ca: 'HOME',
    });
    assert.deepEqual(await tlsOf({ host, skipTlsVerify: true }), { verify: false });
    assert.equal(await tlsOf({ host, skipTlsVerify: false }), undefined);
    assert.equal(await tlsOf({ host }), undefined);
  });

  it('have an error if the folder has no certificates or its path is relative', async () => {
    for (const certPath of ['/nowhere', '/empty', 'certs', '.']) {
      const { error } = await candidate({ host: 'tcp://h', certPath });
      assert.deepEqual([error?.reason, error?.engineMessage], ['certificateUnusable', 'mine']);
    }
  });

  for (const entry of [
    undefined,
    null,
    '',
    ' ',
    5,
    [],
    {},
    { host: 5 },
    { url: 'x' },
    'nonsense',
    'context:',
  ]) {
    it(`have the error badEndpoint if they are ${JSON.stringify(entry)}`, async () => {
      const { error, endpoint, name } = await candidate(entry);
      assert.deepEqual([error?.reason, endpoint, name], ['badEndpoint', undefined, 'mine']);
    });
  }

  it('have an error if their context does not exist', async () => {
    const { error } = await candidate('context:gone');
    assert.deepEqual([error?.reason, error?.engineMessage], ['contextMissing', 'gone']);
  });
});
