import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatCommandLine,
  parseCommandLine,
} from '../../../src/engine/options/parseCommandLine.ts';
import { readContainer } from '../../../src/engine/containers/readContainer.ts';
import { readContainerDetails } from '../../../src/engine/containers/containerDetails.ts';
import { parseEndpoint } from '../../../src/engine/http/endpoint.ts';
import { EngineError, InputError } from '../../../src/engine/errors.ts';
import { readImage } from '../../../src/engine/images/images.ts';
import { isLaterStamp, parseSince, stampAsSince } from '../../../src/engine/logs/logStamps.ts';
import { parseMount } from '../../../src/engine/options/mountSpec.ts';
import { parsePort } from '../../../src/engine/options/portBinding.ts';
import { readPullStep } from '../../../src/engine/registries/followTransfer.ts';
import { formatReference, parseReference } from '../../../src/engine/options/reference.ts';
import { readEvent } from '../../../src/engine/system/system.ts';
import { readPing } from '../../../src/engine/capabilities/version.ts';
import { parseStatus } from '../../../src/inventory/age.ts';
import { holds } from './holds.ts';
import { codePoint } from '../support/codePoint.ts';

const text = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 40 }),
  // Composed of parts that have a meaning for one of the parsers.
  fc
    .array(
      fc.constantFrom(
        ...'/|:|@|.|-|[|]|tcp|udp|unix://|ssh://|::1| |"|\''.split('|'),
        ...'80|70000|127.0.0.1|sha256|a|Up|Exited (|)| hours| ago|\\|%'.split('|'),
      ),
      { maxLength: 10 },
    )
    .map((parts) => parts.join('')),
);

const FIELDS = (
  'Id ID Names Name State Status Ports Labels Created Command Image ImageID RepoTags RepoDigests ' +
  'Size Type Action Actor Config HostConfig status id progressDetail error errorDetail message ' +
  'code __proto__'
).split(' ');
const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), text, fc.constant('a'.repeat(64)));
/** Records with arbitrary values, as a broken engine could send them. */
const wire = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(
    fc.constantFrom(...FIELDS),
    fc.oneof(odd, fc.dictionary(fc.constantFrom(...FIELDS), odd)),
  ),
);

/** Runs the work and checks that it throws only this kind of error. */
function onlyThrows(kind: typeof EngineError | typeof InputError, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    assert(error instanceof kind, String(error));
  }
}

describe('a parser of engine data, for any input,', () => {
  for (const [name, read] of [
    ['containers', readContainer],
    ['container details', readContainerDetails],
    ['images', readImage],
    ['events', readEvent],
  ] as const)
    it(`never throws when it reads ${name}`, () => {
      holds(
        fc.property(wire, (value) => void read(value)),
        500,
      );
    });

  it('throws only an EngineError: pull records, ping responses', () => {
    const headers = fc.dictionary(
      fc.constantFrom('api-version', 'server', 'libpod-api-version', 'content-type'),
      text,
    );
    holds(
      fc.property(wire, headers, text, (value, heads, body) => {
        onlyThrows(EngineError, () => readPullStep(value));
        onlyThrows(EngineError, () => readPing(heads, body, 'unix:///x'));
      }),
      200,
    );
  });

  it('never throws: status texts', () => {
    holds(
      fc.property(text, (status) => assert.equal(typeof parseStatus(status).kind, 'string')),
      200,
    );
  });

  it('never throws and orders any two: timestamps', () => {
    holds(
      fc.property(text, text, (a, b) => {
        stampAsSince(a);
        assert(!(isLaterStamp(a, b) && isLaterStamp(b, a)));
      }),
    );
  });
});

describe('a parser of user input, for any input,', () => {
  it('throws only an InputError: ports, mounts, times, command lines', () => {
    holds(
      fc.property(text, (value) => {
        onlyThrows(InputError, () => parsePort(value));
        onlyThrows(InputError, () => parseMount(value));
        onlyThrows(InputError, () => parseSince(value));
        onlyThrows(InputError, () => parseCommandLine(value));
      }),
      200,
    );
  });

  it('throws only an EngineError: addresses', () => {
    holds(
      fc.property(text, (value) => onlyThrows(EngineError, () => parseEndpoint(value, 'setting'))),
      200,
    );
  });

  it('never throws and round-trips valid ones: image references', () => {
    holds(
      fc.property(text, (value) => {
        const first = parseReference(value);
        if (!first.ok) return;
        assert.deepEqual(parseReference(formatReference(first.value)), first);
      }),
      500,
    );
  });

  it('round-trips: command lines', () => {
    holds(
      fc.property(fc.array(text), (words) => {
        assert.deepEqual(parseCommandLine(formatCommandLine(words)), words);
      }),
    );
  });
});
