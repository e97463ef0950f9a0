import assert from 'node:assert/strict';
import { removeContainerQuestion } from '../../../../src/commands/containers/removeContainerQuestion.ts';
import { isDisplayedWhole } from '../../../../src/base/plainText.ts';

function container(name: string, isRunning = false, service?: string) {
  return { name, isRunning, service };
}

describe('commands/removeContainerQuestion', () => {
  it('reports that a running container is killed first', () => {
    const { question, detail } = removeContainerQuestion([container('web', true)]);
    assert.equal(question, 'Remove the container web?');
    assert.deepEqual(detail.split('\n'), [
      'It is running and will be killed.',
      'Data inside the container is lost unless it is in a volume or bind mount.',
    ]);
  });

  it('reports for 220 containers what is lost, then names as many as fit', () => {
    const many = Array.from({ length: 220 }, (_, at) => container(`web-${at}`, at > 100));
    const { question, detail } = removeContainerQuestion(many);
    const [killed, lost, removed] = detail.split('\n');
    assert.equal(question, 'Remove 220 containers?');
    assert.match(killed ?? '', /^Still running, will be killed: web-101, .* and \d+ more\.$/);
    assert.match(lost ?? '', /^Data inside the containers is lost/);
    assert.match(removed ?? '', /^Containers to remove: web-0, .*, web-40, .* and \d+ more\.$/);
  });

  it('has lines and a length of its own control, whatever a label contains', () => {
    const service = `x\nNothing is lost.\n${'y'.repeat(9000)}`;
    const many = Array.from({ length: 50 }, () => container(service, true, service));
    const { question, detail } = removeContainerQuestion(many);
    assert.ok(isDisplayedWhole(question) && isDisplayedWhole(detail));
    assert.doesNotMatch(detail, /^Nothing is lost/m);
    assert.match(detail, /^47 more belong to services that will replace them\.$/m);
  });
});
