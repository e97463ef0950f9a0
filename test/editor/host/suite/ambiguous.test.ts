import assert from 'node:assert/strict';
import { refusal, run } from '../kit/commands.ts';
import { raw } from '../kit/engine.ts';
import { stateOf, useLab } from '../kit/lab.ts';
import { recordRequests, type Recorder } from '../kit/recorder.ts';

/** There are 16 hexadecimal digits, so two of 17 IDs begin with the same digit. */
const ENOUGH = 17;

interface Twins {
  /** The common prefix of both IDs. */
  readonly part: string;
  readonly first: string;
  readonly second: string;
}

/** Creates objects until two of their IDs begin with the same digit. */
async function makeTwins(make: (index: number) => Promise<string>): Promise<Twins> {
  const byDigit = new Map<string, string>();
  for (let index = 0; index < ENOUGH; index++) {
    const second = (await make(index)).replace('sha256:', '');
    const first = byDigit.get(second.charAt(0));
    if (first !== undefined) {
      let end = 1;
      while (first[end] === second[end]) end++;
      return { part: first.slice(0, end), first, second };
    }
    byDigit.set(second.charAt(0), second);
  }
  throw new Error('No two ids begin alike.');
}

describe('an ID prefix of two', () => {
  const lab = useLab('twins');
  let recorder: Recorder;

  beforeEach(async () => {
    recorder = await recordRequests();
  });
  afterEach(() => recorder.close());

  it('containers is rejected with both names, and nothing is modified', async () => {
    const names = new Map<string, string>();
    const { part, first, second } = await makeTwins(async (index) => {
      const id = await lab.container(['sleep', '1000'], String(index));
      names.set(id, lab.name(String(index)));
      return id;
    });
    const both = [first, second].map((id) => new RegExp(`${names.get(id)!}\\b`));
    for (const verb of ['start', 'stop', 'kill', 'pause', 'remove', 'wait', 'logs'] as const) {
      await refusal(run(`containers.${verb}`, { id: part }), /is ambiguous/, ...both);
    }
    const name = lab.name('new');
    await refusal(run('containers.rename', { id: part, name }), /is ambiguous/, ...both);
    const repository = `localhost/${name}`;
    await refusal(run('containers.commit', { id: part, repository }), /is ambiguous/, ...both);
    const verbs = recorder.lines().filter((line) => !line.startsWith('GET '));
    assert.deepEqual(verbs, []);
    for (const id of [first, second]) assert.equal(await stateOf(id), 'created');
  });

  it('images is rejected with both names, and nothing is modified', async () => {
    const container = await lab.container(['true']);
    const names = new Map<string, string>();
    const { part, first, second } = await makeTwins(async (index) => {
      const reference = `localhost/${lab.name('image')}:t${index}`;
      const [repo, tag] = [reference.slice(0, reference.lastIndexOf(':')), `t${index}`];
      const query = `container=${container}&repo=${repo}&tag=${tag}&comment=${index}`;
      const { Id } = (await raw('POST', `/commit?${query}`, {})) as { readonly Id: string };
      names.set(Id.replace('sha256:', ''), reference);
      return Id;
    });
    const both = [first, second].map((id) => new RegExp(`${names.get(id)!}\\b`));
    const repository = `localhost/${lab.name('new')}`;
    for (const id of [part, `sha256:${part}`]) {
      await refusal(run('images.remove', { id }), /is ambiguous/, ...both);
      await refusal(run('images.inspect', { id }), /is ambiguous/, ...both);
      await refusal(run('images.tag', { id, repository }), /is ambiguous/, ...both);
    }
    const verbs = recorder.lines().filter((line) => !line.startsWith('GET '));
    assert.deepEqual(verbs, []);
  });
});
