import assert from 'node:assert/strict';
import { readDiskUse } from '../../../../src/engine/system/system.ts';
import {
  imageHistory,
  instructionOf,
  relativesIn,
} from '../../../../src/engine/images/imageHistory.ts';
import { json } from '../../support/fakeEngine.ts';
import { openLab, type Lab } from '../../support/lab.ts';

const ID = 'a'.repeat(64);

describe('engine/imageHistory', () => {
  let lab: Lab;
  beforeEach(() => (lab = openLab()));
  afterEach(() => lab.close());

  it('reads the steps and ignores invalid values', async () => {
    const step = {
      Id: ID,
      Created: 1_700_000_000,
      CreatedBy: 'x'.repeat(40_000),
      Size: 7,
      Tags: ['a:1', '<none>:<none>', 3],
      Comment: 'hello',
    };
    const odd = [{}, null, 7, { Id: '<missing>', Size: -1, Tags: null, Created: 'x' }];
    const { connection } = await lab.fake((_, response) => json(response, 200, [step, ...odd]));
    const [first, ...others] = await imageHistory(connection, ID);
    assert(first);
    const { createdBy, ...read } = first;
    assert.equal(createdBy.length, 32 * 1024);
    assert.deepEqual(read, {
      imageId: `sha256:${ID}`,
      createdAt: '2023-11-14T22:13:20.000Z',
      size: 7,
      tags: ['a:1'],
      comment: 'hello',
    });
    const nothing = { createdAt: '', createdBy: '', size: 0, tags: [], comment: '' };
    assert.deepEqual(
      others,
      odd.map(() => nothing),
    );
  });

  for (const [written, instruction] of [
    ['/bin/sh -c #(nop)  CMD ["sh"]', 'CMD ["sh"]'],
    ['/bin/sh -c #(nop) ADD file:1 in / ', 'ADD file:1 in /'],
    ['/bin/sh -c apk add curl', 'RUN apk add curl'],
    ['|1 VERSION=2 /bin/sh -c make all', 'RUN make all'],
    ['RUN /bin/sh -c apk add curl # buildkit', 'RUN apk add curl'],
    ['RUN |1 A=b /bin/sh -c make # buildkit', 'RUN make'],
    ['/bin/bash -c a\nb', 'RUN a\nb'],
    ['COPY . /app # buildkit', 'COPY . /app'],
    // As Docker 20.10 and 28 and Podman 4 and 5 record them.
    ['EXPOSE [53/udp 9090/tcp]', 'EXPOSE 53/udp 9090/tcp'],
    ['EXPOSE map[53/udp:{} 9090/tcp:{}]', 'EXPOSE 53/udp 9090/tcp'],
    ['/bin/sh -c #(nop)  EXPOSE 9090', 'EXPOSE 9090'],
    ['VOLUME [/data /d2]', 'VOLUME /data /d2'],
    ['/bin/sh -c #(nop) VOLUME ["/d3"]', 'VOLUME ["/d3"]'],
    ['SHELL [/bin/sh -ec]', 'SHELL ["/bin/sh", "-ec"]'],
    ['/bin/sh -c #(nop) SHELL ["/bin/sh", "-ec"]', 'SHELL ["/bin/sh", "-ec"]'],
    ['CMD ["sh" "/usr/a b"]', 'CMD ["sh", "/usr/a b"]'],
    ['CMD ["sh", "/usr/a b"]', 'CMD ["sh", "/usr/a b"]'],
    ['CMD []', 'CMD []'],
    ['CMD sh /usr/x', 'CMD sh /usr/x'],
    [
      String.raw`ENTRYPOINT ["sh" "-c" "echo \"q\" \x00\a\U0001f600"]`,
      'ENTRYPOINT ["sh", "-c", "echo \\"q\\" \\u0000\\u0007😀"]',
    ],
    [
      String.raw`HEALTHCHECK &{["CMD-SHELL" "a || exit 1"] "5s" "3s" "0s" "0s" '\x03'}`,
      'HEALTHCHECK --interval=5s --timeout=3s --retries=3 CMD a || exit 1',
    ],
    [
      String.raw`HEALTHCHECK &{["CMD" "true" "x"] "0s" "0s" "1m0s" '\n'}`,
      'HEALTHCHECK --start-period=1m0s --retries=10 CMD ["true", "x"]',
    ],
    [
      String.raw`/bin/sh -ec #(nop)  HEALTHCHECK &{["NONE"] "0s" "0s" "0s" '\x00'}`,
      'HEALTHCHECK NONE',
    ],
    ['ENV A=1 B=x y', 'ENV A=1 B="x y"'],
    ['/bin/sh -c #(nop) ENV A=1 B="x y"', 'ENV A=1 B="x y"'],
    ['/bin/sh -c #(nop) ENV C hello world', 'ENV C hello world'],
    ['LABEL l=a b m=c', 'LABEL l="a b" m=c'],
    ['RUN |1 V=1 /bin/sh -ec echo "hi" && true # buildkit', 'RUN echo "hi" && true'],
    ['RUN |1 V=1 true a b # buildkit', 'RUN true a b'],
    ['RUN /bin/bash -eo pipefail -c make | tee log # buildkit', 'RUN make | tee log'],
    ['|1 V=1 /bin/sh -c ["true", "a b"]', 'RUN ["true", "a b"]'],
    ['/bin/sh -ec #(nop)  ONBUILD RUN echo x', 'ONBUILD RUN echo x'],
    ['constructor x', 'constructor x'],
    ['bazel build ...', 'bazel build ...'],
    ['', ''],
  ] as const) {
    it(`converts ${JSON.stringify(written)} to an instruction`, () => {
      assert.equal(instructionOf(written), instruction);
    });
  }

  it('finds parent and child images by their layers, nearest first', () => {
    const layers = new Map([
      ['base', ['1']],
      ['middle', ['1', '2']],
      ['twin', ['1', '2']],
      ['top', ['1', '2', '3']],
      ['other', ['1', '4']],
      ['empty', []],
    ]);
    assert.deepEqual(relativesIn(layers, 'top').madeFrom, ['middle', 'twin', 'base']);
    assert.deepEqual(relativesIn(layers, 'base').madeInto, ['middle', 'twin', 'other', 'top']);
    assert.deepEqual(relativesIn(layers, 'middle'), { madeFrom: ['base'], madeInto: ['top'] });
    assert.deepEqual(relativesIn(layers, 'empty'), { madeFrom: [], madeInto: [] });
    assert.deepEqual(relativesIn(layers, 'nobody'), { madeFrom: [], madeInto: [] });
  });
});

describe('engine/system: readDiskUse', () => {
  const images = [{ Id: ID, Size: 10, SharedSize: 4 }, { Size: 3 }, null];

  it('reads shared sizes from old and new response formats', () => {
    const expected = { layers: 30, images: new Map([[`sha256:${ID}`, { size: 10, shared: 4 }]]) };
    assert.deepEqual(readDiskUse({ LayersSize: 30, Images: images }), expected);
    assert.deepEqual(readDiskUse({ ImagesUsage: { TotalSize: 30, Items: images } }), expected);
  });

  it('reports sizes as unknown if the engine does not count layers', () => {
    const { layers, images: found } = readDiskUse({ LayersSize: 0, Images: images });
    assert.equal(layers, undefined);
    assert.deepEqual(found.get(`sha256:${ID}`), { size: 10, shared: undefined });
    assert.deepEqual(readDiskUse(null), { layers: undefined, images: new Map() });
    const { images: uncounted } = readDiskUse({
      LayersSize: 9,
      Images: [{ ...images[0], SharedSize: -1 }],
    });
    assert.equal(uncounted.get(`sha256:${ID}`)?.shared, undefined);
  });
});
