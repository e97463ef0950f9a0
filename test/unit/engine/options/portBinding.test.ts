import assert from 'node:assert/strict';

import { InputError } from '../../../../src/engine/errors.ts';
import { parsePort } from '../../../../src/engine/options/portBinding.ts';

/** The bindings as `ip|hostPort|containerPort`. */
function read(text: string): string {
  return parsePort(text)
    .map((one) => `${one.hostIp}|${one.hostPort}|${one.containerPort}`)
    .join(' ');
}

describe('engine/portBinding', () => {
  const good: [text: string, bindings: string][] = [
    ['80', '||80/tcp'],
    ['80/udp', '||80/udp'],
    ['80/TCP', '||80/tcp'],
    ['9000/sctp', '||9000/sctp'],
    ['8080:80', '|8080|80/tcp'],
    [':80', '||80/tcp'],
    ['0:80', '||80/tcp'],
    ['127.0.0.1:8080:80', '127.0.0.1|8080|80/tcp'],
    ['127.0.0.1::80', '127.0.0.1||80/tcp'],
    ['127.0.0.1:0:80', '127.0.0.1||80/tcp'],
    ['127.0.0.1:80', '127.0.0.1||80/tcp'],
    ['[::1]:8080:80/udp', '::1|8080|80/udp'],
    ['[::]::80', '::||80/tcp'],
    ['[::1]:80', '::1||80/tcp'],
    ['1:65535', '|1|65535/tcp'],
    ['08080:080', '|8080|80/tcp'],
    ['8000-8002:80-82', '|8000|80/tcp |8001|81/tcp |8002|82/tcp'],
    ['8000-8002:80', '|8000-8002|80/tcp'],
    ['127.0.0.1:8000-8002:80/udp', '127.0.0.1|8000-8002|80/udp'],
    ['80-81', '||80/tcp ||81/tcp'],
  ];
  for (const [text, bindings] of good) {
    it(`parses ${text}`, () => assert.equal(read(text), bindings));
  }

  const bad: [text: string, sentence: RegExp][] = [
    ['', /^"" is not a port\. Use/],
    ['http', /^"http" is not a port/],
    ['8080:', /^"8080:" is not a port/],
    ['8080: 80', /^"8080: 80" is not a port/],
    ['-1', /^"-1" is not a port/],
    ['80.5', /^"80\.5" is not a port/],
    ['1:2:3:4', /^"1:2:3:4" is not a port/],
    ['[::1]:1:2:3', /is not a port/],
    ['::1:8080:80', /is not a port/],
    ['99999', /^99999 in "99999" is not a port number\. Use 1 to 65535\.$/],
    ['99999:80', /^99999 in "99999:80"/],
    ['80:99999/udp', /^99999 in "80:99999\/udp"/],
    ['0', /^0 in "0"/],
    ['8080:0', /^0 in "8080:0"/],
    ['80/icmp', /"80\/icmp" has an unknown protocol/],
    ['80/', /"80\/" has an unknown protocol/],
    ['localhost:8080:80', /^"localhost" in "localhost:8080:80" is not an IP address/],
    ['1.2.3.400:1:2', /^"1\.2\.3\.400" in/],
    ['[1.2.3.4]:1:2', /^"1\.2\.3\.4" in/],
    [':8080:80', /^"" in ":8080:80" is not an IP address/],
    ['8000-8001:80-82', /^The port ranges in "8000-8001:80-82" have different lengths/],
    ['82-80', /^The port range in "82-80" ends before it starts/],
    ['80-', /is not a port/],
  ];
  for (const [text, sentence] of bad) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parsePort(text),
        (error) => error instanceof InputError && sentence.test(error.message),
      );
    });
  }
});
