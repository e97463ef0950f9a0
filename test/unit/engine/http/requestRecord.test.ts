import assert from 'node:assert/strict';
import type { Query } from '../../../../src/engine/http/engineRequest.ts';
import {
  operationOf,
  formatRequestPath,
  wirePath,
} from '../../../../src/engine/http/requestRecord.ts';
import { json } from '../../support/fakeEngine.ts';
import { failure, openLab, when, type Lab } from '../../support/lab.ts';

describe('formatRequestPath', () => {
  const shown: [query: Query, text: string][] = [
    [{}, '/x'],
    [{ all: true, v: false, none: undefined }, '/x?all=1&v=0'],
    [
      { t: 10, tail: '-1', since: '1700000000.000000001' },
      '/x?t=10&tail=-1&since=1700000000.000000001',
    ],
    [{ container: 'abc', repo: 'a/b', tag: 'v1' }, '/x?container=abc&repo=a/b&tag=v1'],
    [{ name: 'web', fromImage: 'busybox' }, '/x?name=web&fromImage=busybox'],
  ];
  for (const [query, text] of shown) {
    it(`shows IDs, names, tags and numbers: ${text}`, () => {
      assert.equal(formatRequestPath('/x', query), text);
    });
  }

  const hidden: Query[] = [
    { changes: ['ENV TOKEN=s3cret', 'LABEL key=s3cret'] },
    { comment: 's3cret' },
    { author: 's3cret' },
    { filters: '{"label":["s3cret"]}' },
    { signal: 's3cret' },
    { comment: '12 s3cret' },
    { comment: '1\ns3cret' },
    { something: 's3cret' },
  ];
  for (const query of hidden) {
    it(`hides any other value: ${JSON.stringify(query)}`, () => {
      const text = formatRequestPath('/x', query);
      assert(!text.includes('s3cret'), text);
      assert.match(text, /=…/);
    });
  }

  it('stays on one line even if a name contains a line break', () => {
    assert.equal(formatRequestPath('/x', { name: 'a\r\nb\u001b[31m' }), '/x?name=a b');
  });
});

describe('wirePath and operationOf', () => {
  it('encode every value and repeat a key for each value of an array', () => {
    assert.equal(
      wirePath('/x', { changes: ['ENV A=b c', 'CMD ["x"]'], name: '&ü' }),
      '/x?changes=ENV%20A%3Db%20c&changes=CMD%20%5B%22x%22%5D&name=%26%C3%BC',
    );
    assert.equal(wirePath('/x', { empty: [], none: undefined }), '/x');
  });

  it('return an operation without its query', () => {
    const query = { changes: ['ENV TOKEN=s3cret'] };
    assert.equal(operationOf({ method: 'POST', path: '/commit', query }), 'POST /commit');
  });
});

describe('the request log', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  const lines = (): string[] =>
    lab.records.map((record) => `${record.method} ${record.path} ${record.outcome}`);

  it('has one line per request, with version, status and time', async () => {
    const { connection } = await lab.fake((_, r) => json(r, 201, { Id: 'a' }));
    await connection.send({
      method: 'POST',
      path: '/commit',
      query: { container: 'abc', comment: 'my s3cret', changes: ['ENV TOKEN=s3cret'] },
      body: { s3cret: 1 },
      headers: { 'x-registry-auth': 's3cret' },
    });
    assert.deepEqual(lines(), [
      'GET /_ping 200',
      'POST /v1.41/commit?container=abc&comment=…&changes=… 201',
    ]);
    assert(lab.records.every((record) => record.milliseconds >= 0));
  });

  it('has one line for an error status, even if reading its message is canceled', async () => {
    const { engine, connection } = await lab.fake((_, response) => {
      response.writeHead(500, { 'content-length': '10' }).write('{');
    });
    const controller = new AbortController();
    const asked = connection.send({ method: 'POST', path: '/x', signal: controller.signal });
    await when(() => engine.seen.length === 1 && lab.records.length === 2);
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    assert.deepEqual(lines(), ['GET /_ping 200', 'POST /v1.41/x 500']);
  });

  it('names the reason if there is no status: cancelled, timeout, cut', async () => {
    const { engine, connection } = await lab.raw((socket, head) => {
      if (head.includes('/cut')) socket.destroy();
    });
    await failure(connection.send({ method: 'POST', path: '/cut' }), 'cut');
    await failure(connection.send({ method: 'POST', path: '/slow', limitMs: 20 }), 'timeout');
    const controller = new AbortController();
    const asked = connection.send({ method: 'POST', path: '/left', signal: controller.signal });
    await when(() => engine.seen.includes('POST /v1.41/left'));
    controller.abort();
    await assert.rejects(asked, { name: 'AbortError' });
    assert.deepEqual(lines().slice(1), [
      'POST /v1.41/cut cut',
      'POST /v1.41/slow timeout',
      'POST /v1.41/left canceled',
    ]);
  });

  it('names the reason if the engine cannot be reached', async () => {
    await failure(lab.connect('/nowhere/engine.sock').info(), 'socketAbsent');
    assert.deepEqual(lines(), ['GET /_ping socketAbsent']);
  });
});
