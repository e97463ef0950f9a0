import assert from 'node:assert/strict';
import { STATUS_RESPONSE } from '../../../../../src/engine/builds/controlMessages.ts';
import { json } from '../../../support/fakeEngine.ts';
import { DOCKERFILE, ID, TarBuildLab } from './support/tarBuildLab.ts';

describe('the answer to a build by tar', () => {
  let lab: TarBuildLab;
  beforeEach(async () => {
    lab = await TarBuildLab.open();
  });
  afterEach(() => lab.close());

  function outputs(): readonly (readonly [string, string])[] {
    return lab.events.flatMap((event) =>
      event.kind === 'output'
        ? [[event.output.stream, Buffer.from(event.output.data).toString()] as const]
        : [],
    );
  }

  it('warns of what Buildah leaves out of an image', async () => {
    lab.isPodman();
    const left = 'HEALTHCHECK is not supported for OCI image format and will be ignored.';
    lab.answers(
      'STEP 1/3: FROM me.io/base\n',
      'STEP 2/3: HEALTHCHECK CMD true\n',
      `time="2026-01-02T03:04:05Z" level=warning msg="${left} Must use \\"docker\\" format"\n`,
      'STEP 3/3: RUN a\n',
      `${left}\n`,
      'sparse files: is not supported\n',
      { aux: { ID } },
    );
    await lab.build();
    const warnings = lab.events.flatMap((event) => (event.kind === 'warning' ? [event] : []));
    assert.deepEqual(
      warnings.map(({ warning }) => warning.message),
      [`${left} Must use "docker" format`, left],
    );
  });

  it('reads the text of Podman as steps with output', async () => {
    lab.isPodman();
    lab.answers(
      '[1/2] STEP 1/2: FROM me.io/base AS one\n',
      '[1/2] STEP 2/2: RUN a\n',
      '--> Using cache 0123456789ab\n',
      '--> 0123456789ac\n',
      '[2/2] STEP 1/3: FROM 0123456789abcdef\n',
      'time="now" level=error msg="+(UNHANDLED LOGLEVEL) &imagebuilder.Step{}"\n',
      'Resolving %!q(<nil>) to docker.io\n',
      '[2/2] STEP 2/3: COPY b /c\n',
      '--> 0123456789ab\n',
      '[2/2] STEP 3/3: RUN d\n',
      'Successfully built a wheel\n',
      'STEP 1/9: no step\nSTEP 1/1: none either\n',
      '[2/2] STEP 3/3: nor this\n',
      'no line end',
      '[2/2] COMMIT x\n',
      '--> 0123456789ab\n',
      'Successfully tagged x\n',
      `${'ab'.repeat(32)}\n`,
      { aux: { ID } },
    );
    assert.deepEqual(await lab.build(), { imageId: ID });
    assert.deepEqual(lab.states(), {
      '[one 1/2] FROM me.io/base AS one': 'done',
      '[one 2/2] RUN a': 'cached',
      '[stage-1 1/3] FROM one': 'done',
      '[stage-1 2/3] COPY b /c': 'done',
      '[stage-1 3/3] RUN d': 'done',
    });
    assert.deepEqual(outputs(), [
      ['stdout', 'Successfully built a wheel\n'],
      ['stdout', 'STEP 1/9: no step\nSTEP 1/1: none either\n'],
      ['stdout', '[2/2] STEP 3/3: nor this\n'],
      ['stdout', 'no line end'],
    ]);
    const all = lab.events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    const images = new Map(all.map(({ name, image }) => [name, image]));
    assert.deepEqual([...images.values()].slice(0, 4), [
      'me.io/base',
      '0123456789ac',
      '0123456789abcdef',
      '0123456789ab',
    ]);
  });

  it('reads the text of the classic builder', async () => {
    lab.answers(
      ...['Step 1/2 : FROM a', '\n', ' ---> 0123456789ab\n', 'Step 2/2 : RUN b', '\n'],
      ...[' ---> Running in 0123456789ab\n', 'out\n', '\x1b[91merr\n\x1b[0m'],
      ...['Removing intermediate container 0123456789ab\n', ' ---> 0123456789ab\n'],
      { aux: { ID } },
      'Successfully built 0123456789ab\n',
    );
    await lab.build({}, {}, { isClassic: true });
    assert.deepEqual(lab.states(), { '[1/2] FROM a': 'done', '[2/2] RUN b': 'done' });
    assert.deepEqual(
      outputs().filter(([, text]) => text.trim() !== ''),
      [
        ['stdout', 'out\n'],
        ['stderr', 'err\n'],
      ],
    );
  });

  it('places the failure of Podman at its line, in its words but for those of its inside', async () => {
    lab.isPodman();
    lab.answers(
      ...['[1/2] STEP 1/2: FROM a\n', '[1/2] STEP 2/2: RUN a\n', '[2/2] STEP 1/3: FROM 1\n'],
      ...['[2/2] STEP 2/3: COPY b /c\n'],
      {
        error:
          'building at STEP "COPY b /c": checking on sources under "/var/tmp/libpod_builder123/build": ' +
          'copier: stat: "/b": no such file &imagebuilder.Step{Env:[]}\n',
        errorDetail: {},
      },
    );
    const { message, failure, reason } = await lab.failure();
    assert.equal(reason, 'failed');
    assert.equal(
      message,
      'building at STEP "COPY b /c": checking on sources under "": copier: stat: "/b": no such file',
    );
    assert.deepEqual(failure.source, {
      file: 'Dockerfile',
      text: DOCKERFILE,
      lines: { start: 4, end: 4 },
    });
    const steps = lab.events.flatMap((event) => (event.kind === 'step' ? [event.step] : []));
    assert.deepEqual([steps.at(-1)?.state, steps.at(-1)?.id], ['failed', failure.step]);
  });

  it('shows a full disk in the words of the engine', async () => {
    lab.answers({
      errorDetail: { message: 'write /layer.tar: no space left on device' },
      error: '…',
    });
    const { message, failure } = await lab.failure();
    assert.equal(message, 'write /layer.tar: no space left on device');
    assert.deepEqual(failure, {});
  });

  it('names the base image to pull', async () => {
    const message =
      'me.io/base: failed to resolve source metadata for me.io/base:latest: no active sessions';
    lab.answers({ errorDetail: { message }, error: message });
    const error = await lab.failure();
    assert.equal(
      error.message,
      'Could not read base image me.io/base:latest. Pull it, then build again.',
    );
    assert.equal(error.reason, 'notFound');
    assert.deepEqual(error.failure.source?.lines, { start: 1, end: 1 });
  });

  it('locates what the engine refuses immediately', async () => {
    const message = 'dockerfile parse error on line 2: unknown instruction: RUNN';
    lab.engine.answer((_request, response) => json(response, 400, { message }));
    const error = await lab.failure();
    assert.deepEqual([error.message, error.failure.source?.lines], [message, { start: 2, end: 2 }]);
    lab.engine.answer((_request, response) => {
      response.writeHead(500).end();
    });
    assert.equal((await lab.failure()).engineMessage, undefined);
  });

  it('is taken in turns if a record has very many parts, and no more after the abort', async () => {
    const digest = `sha256:${'1'.repeat(64)}`;
    const vertexes = [{ digest, name: 'RUN x', started: { seconds: 1, nanos: 0 } }];
    const logs = Array.from({ length: 4_000 }, () => ({ vertex: digest, data: Buffer.from('x') }));
    const trace = Buffer.from(STATUS_RESPONSE.encode({ vertexes, logs })).toString('base64');
    lab.answers({ id: 'moby.buildkit.trace', aux: trace }, { aux: { ID } });
    const controller = new AbortController();
    let all = 0;
    const onEvent = (): void => {
      if (++all === 1_000) controller.abort(new Error('enough'));
    };
    const { signal } = controller;
    await assert.rejects(lab.build({}, {}, { onEvent, signal }), /enough/);
    assert.ok(all >= 1_000 && all <= 1_200, String(all));
  });

  it('fails with a broken answer, and leaves no step running', async () => {
    lab.isPodman();
    const begun = 'STEP 1/2: FROM a\n';
    lab.answers(begun, { id: 'moby.buildkit.trace', aux: '/////w==' });
    await assert.rejects(lab.build(), { reason: 'badAnswer' });
    assert.deepEqual(lab.states(), { '[1/2] FROM a': 'canceled' });
    lab.answers(begun);
    await assert.rejects(lab.build(), { reason: 'badAnswer' });
    lab.engine.answer((_request, response) => {
      response
        .writeHead(200)
        .write(`${JSON.stringify({ stream: begun })}\n`, () => response.destroy());
    });
    await assert.rejects(lab.build(), { reason: 'cut' });
    assert.deepEqual(lab.states(), { '[1/2] FROM a': 'canceled' });
  });

  it('shows no credentials that the engine repeats', async () => {
    lab.isPodman();
    lab.answers({ error: 'wrong password sesame-open', errorDetail: {} });
    const credentials = () => Promise.resolve({ username: 'me', password: 'sesame-open' });
    assert.equal((await lab.failure(lab.build({}, { credentials }))).message, 'wrong password …');
  });
});
