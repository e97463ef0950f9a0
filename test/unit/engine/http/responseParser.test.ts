import assert from 'node:assert/strict';
import { connectionFailure } from '../../../../src/engine/http/connectionFailure.ts';
import { parseEndpoint } from '../../../../src/engine/discovery/endpoint.ts';
import {
  ResponseError,
  ResponseParser,
  type ResponseHead,
} from '../../../../src/engine/http/responseParser.ts';
import { bytesOf } from '../../support/rawEngine.ts';

interface Parsed {
  readonly head: ResponseHead | undefined;
  readonly body: string;
  readonly rest: string;
  readonly isDone: boolean;
  readonly isKeptAlive: boolean;
}

/** Parses a response that arrives in pieces of this size. */
function parse(text: string, size = text.length, method = 'GET'): Parsed {
  let head: ResponseHead | undefined;
  const body: Buffer[] = [];
  const parser = new ResponseParser(method, {
    onHead: (found) => {
      assert.equal(head, undefined);
      head = found;
    },
    onData: (chunk) => body.push(chunk),
  });
  const bytes = Buffer.from(text, 'latin1');
  let rest = '';
  for (let at = 0; at < bytes.length; at += size) {
    rest += parser.isDone
      ? bytes.toString('latin1', at, at + size)
      : parser.push(bytes.subarray(at, at + size)).toString('latin1');
  }
  const { isDone, isKeptAlive } = parser;
  return { head, body: Buffer.concat(body).toString('latin1'), rest, isDone, isKeptAlive };
}

const CHUNKED = { 'transfer-encoding': 'chunked' };

describe('ResponseParser', () => {
  const responses: [what: string, text: string, body: string, rest: string][] = [
    ['a length', bytesOf('200 OK', { 'content-length': '5' }, 'hello'), 'hello', ''],
    ['a length of 0', bytesOf('200 OK', { 'content-length': '0' }), '', ''],
    ['bytes after its end', bytesOf('200 OK', { 'content-length': '2' }, '[]HTTP'), '[]', 'HTTP'],
    ['chunks', bytesOf('200 OK', CHUNKED, '5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n'), 'hello!', ''],
    [
      'chunk sizes in any case',
      bytesOf('200 OK', CHUNKED, '00A\r\n0123456789\r\n0\r\n\r\n'),
      '0123456789',
      '',
    ],
    [
      'chunk extensions and trailers',
      bytesOf('200 OK', CHUNKED, '2 ;a="b"\r\n[]\r\n0;x\r\nx-sum: 1\r\ny: 2\r\n\r\nmore'),
      '[]',
      'more',
    ],
    [
      'several encodings',
      bytesOf('200 OK', { 'transfer-encoding': 'gzip, Chunked' }, '1\r\nx\r\n0\r\n\r\n'),
      'x',
      '',
    ],
    [
      'a preceding 100',
      bytesOf('100 Continue', {}) + bytesOf('200 OK', { 'content-length': '1' }, 'x'),
      'x',
      '',
    ],
    ['status 204', bytesOf('204 No Content', {}, 'x'), '', 'x'],
    ['status 304', bytesOf('304 Not Modified', { 'content-length': '9' }), '', ''],
    ['status 101', bytesOf('101 UPGRADED', { upgrade: 'tcp' }, 'raw'), '', 'raw'],
    ['no reason', 'HTTP/1.1 200\r\ncontent-length:1\r\n\r\nx', 'x', ''],
  ];
  for (const [what, text, body, rest] of responses) {
    it(`parses a response with ${what}, in whatever pieces it arrives`, () => {
      for (let size = 1; size <= text.length; size++) {
        const parsed = parse(text, size);
        assert.deepEqual([parsed.body, parsed.rest, parsed.isDone], [body, rest, true]);
      }
    });
  }

  it('finds status and headers, with all their values', () => {
    const text =
      'HTTP/1.1 409 Oh no\r\nA: \t caf\xe9 \r\na:2\r\nX-Y_z.:\r\ncontent-length: 0\r\n\r\n';
    assert.deepEqual(parse(text).head, {
      status: 409,
      headers: { a: 'caf\xe9, 2', 'x-y_z.': '', 'content-length': '0' },
    });
  });

  it('finds no body in a response to HEAD', () => {
    const { isDone, body } = parse(bytesOf('200 OK', { 'content-length': '9' }), 99, 'HEAD');
    assert.deepEqual([isDone, body], [true, '']);
  });

  it('reads a body without a length to the end of the connection', () => {
    const parser = new ResponseParser('GET', { onHead: () => undefined, onData: () => undefined });
    parser.push(Buffer.from(bytesOf('200 OK', {}, 'all')));
    assert.deepEqual([parser.isDone, parser.isKeptAlive, parser.finish()], [false, false, true]);
  });

  it('is not complete if the connection ends before the response', () => {
    for (const text of ['', 'HTTP/1.1 2', ...responses.map(([, whole]) => whole.slice(0, 20))]) {
      const parser = new ResponseParser('GET', {
        onHead: () => undefined,
        onData: () => undefined,
      });
      parser.push(Buffer.from(text));
      assert.equal(parser.finish(), false, text);
    }
  });

  const lives: [line: string, connection: string | undefined, isKeptAlive: boolean][] = [
    ['HTTP/1.1', undefined, true],
    ['HTTP/1.1', 'Keep-Alive', true],
    ['HTTP/1.1', 'foo, Close', false],
    ['HTTP/1.0', undefined, false],
    ['HTTP/1.0', 'keep-alive', true],
  ];
  for (const [version, connection, isKeptAlive] of lives) {
    it(`${isKeptAlive ? 'keeps' : 'closes'} a connection of ${version} with ${connection ?? 'no header'}`, () => {
      const header = connection === undefined ? '' : `Connection: ${connection}\r\n`;
      const text = `${version} 200 OK\r\n${header}content-length: 0\r\n\r\n`;
      assert.equal(parse(text).isKeptAlive, isKeptAlive);
    });
  }

  const wrong: [what: string, text: string][] = [
    ['another protocol', 'SSH-2.0-OpenSSH_9.7'],
    ['the first byte of another protocol', 'S'],
    ['HTTP/2', 'HTTP/2 200 OK\r\n\r\n'],
    ['a status that is not a number', 'HTTP/1.1 abc OK\r\n\r\n'],
    ['a status of two digits', 'HTTP/1.1 20 OK\r\n\r\n'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nnothing\r\n\r\n'],
    ['a header with a space in its name', 'HTTP/1.1 200 OK\r\na b: c\r\n\r\n'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c: d\r\n\r\n'],
    ['a control character in a header', 'HTTP/1.1 200 OK\r\na: \0\r\n\r\n'],
    ['a lone line feed in a header', 'HTTP/1.1 200 OK\r\na: b\nc: d\r\n\r\n'],
    ['two lengths', bytesOf('200 OK', { 'content-length': '1', 'Content-Length': '2' })],
    ['a negative length', bytesOf('200 OK', { 'content-length': '-1' })],
    ['a length and chunks', bytesOf('200 OK', { 'content-length': '1', ...CHUNKED })],
    ['a chunk without a size', bytesOf('200 OK', CHUNKED, '\r\n')],
    ['a chunk size that is not hexadecimal', bytesOf('200 OK', CHUNKED, '5g\r\n')],
    ['a chunk size that is too large', bytesOf('200 OK', CHUNKED, '1000000000000\r\n')],
    ['a chunk size without an end', bytesOf('200 OK', CHUNKED, `1;${'x'.repeat(17_000)}`)],
    ['a chunk that is longer than its size', bytesOf('200 OK', CHUNKED, '1\r\nxy')],
    ['a chunk that ends with a line feed', bytesOf('200 OK', CHUNKED, '1\r\nx\r\r')],
    ['endless trailers', bytesOf('200 OK', CHUNKED, `0\r\n${'a: b\r\n'.repeat(9_000)}`)],
  ];
  for (const [what, text] of wrong) {
    it(`refuses ${what}`, () => {
      for (const size of [1, 7, text.length]) assert.throws(() => parse(text, size), ResponseError);
    });
  }

  it('refuses headers of more than 16 KiB, complete or not', async () => {
    const endpoint = parseEndpoint('/nowhere/engine.sock', 'setting');
    const big = `HTTP/1.1 200 OK\r\na: ${'x'.repeat(17_000)}`;
    for (const text of [big, `${big}\r\n\r\n`]) {
      const thrown = await Promise.resolve(text)
        .then((one) => parse(one))
        .catch((error: unknown) => error);
      const { reason } = await connectionFailure(thrown, endpoint, 'GET /x');
      assert.equal(reason, 'tooLarge');
    }
    const other = await connectionFailure(new ResponseError('', Buffer.from('x')), endpoint, '');
    assert.equal(other.reason, 'notAnEngine');
  });
});
