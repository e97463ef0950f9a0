import type { Container } from '../../src/engine/model.ts';
import { Activity } from '../../src/inventory/activity.ts';
import { Inventory } from '../../src/inventory/inventory.ts';
import { filterCompletions } from '../../src/commands/arrange/filterCompletions.ts';
import { CHOICES, PLAIN } from '../../src/views/arrangement/arrangements.ts';
import { containerFacts } from '../../src/views/containers/containerFacts.ts';
import { ContainerRows } from '../../src/views/containers/containerRows.ts';
import type { RenderContext } from '../../src/views/rowPresentation.ts';
import type { TreeNode } from '../../src/views/treeNode.ts';
import type { Measurements } from './benchmark.ts';

const CONTAINERS = 1000;
const PROJECTS = 50;
/** What is typed, key by key, and deleted again. */
const TEXT = '!label:team=x h:un';
const ROUNDS = 5;

/**
 * Measures a key in the filter of 1,000 containers, from the key to all rows as they are handed to VS Code, with the
 * completions.
 */
export function benchFilter(): Promise<Measurements<'key' | 'p95'>> {
  const inventory = new Inventory();
  const all = Array.from({ length: CONTAINERS }, (_, at) => containerAt(at));
  inventory.replaceAll(all, [], Date.now());
  const context: RenderContext = { inventory, activity: new Activity(), now: Date.now };
  const rows = new ContainerRows('default', context, undefined, PLAIN);
  const lengths = Array.from({ length: TEXT.length }, (_, at) => at + 1);
  const keys = [...lengths, ...lengths.toReversed()].map((length) => TEXT.slice(0, length));
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const filter of [...keys, '']) {
      const started = performance.now();
      rows.arrange({ ...PLAIN, filter });
      for (const row of withDescendants(rows.roots)) row.present(context);
      const facts = all.map((one) => containerFacts(one, context));
      filterCompletions(filter, CHOICES.containers.keys, facts);
      times.push(performance.now() - started);
    }
  }
  const inOrder = times.toSorted((a, b) => a - b);
  const p95 = inOrder[Math.floor(times.length * 0.95)] ?? 0;
  return Promise.resolve({ key: { subject: times }, p95: { subject: p95 } });
}

function withDescendants(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap((node) => [node, ...withDescendants(node.children ?? [])]);
}

function containerAt(at: number): Container {
  const id = at.toString(16).padStart(64, '0');
  const name = `project-${at % PROJECTS}-service-${at}-1`;
  return {
    id,
    name,
    names: [name],
    image: `registry.example.com/team/image-${at % 100}:1.${at}`,
    imageId: `sha256:${id}`,
    state: 'running',
    status: 'Up 5 minutes',
    createdAt: '2026-01-01T00:00:00Z',
    ports: [{ privatePort: 80, publicPort: 10_000 + at, protocol: 'tcp' }],
    labels: {
      'com.docker.compose.project': `project-${at % PROJECTS}`,
      'com.docker.compose.service': `service-${at}`,
      'com.docker.compose.config-hash': id,
      ...Object.fromEntries(Array.from({ length: 10 }, (_, one) => [`label${one}`, `${at}`])),
      team: at % 3 === 0 ? 'x' : 'y',
    },
    command: 'sleep',
    mounts: [],
    networks: [{ name: `project-${at % PROJECTS}_default`, networkId: '' }],
    ...(at % 5 === 0 && { health: 'unhealthy' }),
  };
}
