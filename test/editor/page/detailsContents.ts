// What the details page shows in its tests.
import { readContainerFacts } from '../../../src/engine/facts/readContainerFacts.ts';
import { containerHead } from '../../../src/details/sections/containerHead.ts';
import { containerSections } from '../../../src/details/sections/containerSections.ts';
import { keyedSections } from '../../../src/details/sections/keyedSections.ts';
import { exitSection } from '../../../src/details/sections/exitSection.ts';
import type { DetailsContent, PageUsage } from '../../../src/details/protocol.ts';
import { inspected } from '../../unit/engine/facts/recordedContainers.ts';

const MEBIBYTE = 1024 * 1024;

/** A container as Docker has it, unhealthy, in a compose project. */
export function unhealthy(): DetailsContent {
  const { container, image } = inspected('docker28');
  const { facts, hidden } = readContainerFacts(container, image);
  const described = {
    ...facts,
    name: 'shop-web-1',
    project: 'shop',
    service: 'web',
    composeFiles: ['/home/me/shop/compose.yaml'],
    restartCount: 2,
    wasStopped: false,
    mounts: facts.mounts.map((mount) =>
      mount.type === 'bind' ? { ...mount, workspaceFolder: '/home/me/shop' } : mount,
    ),
  };
  const isMasked = (key: string): boolean => hidden.reveal(key) !== undefined;
  return content({
    title: 'shop-web-1',
    subtitle: 'Container',
    head: containerHead(described),
    sections: keyedSections(containerSections(described, { engine: 'default', isMasked })).sections,
  });
}

/** A container that was killed for lack of memory, as the page tells of it. */
export function killed(): DetailsContent {
  const { container, image } = inspected('docker28');
  const { facts, hidden } = readContainerFacts(
    {
      ...container,
      State: {
        ...{ Status: 'exited', Running: false, ExitCode: 137, OOMKilled: true },
        ...{ StartedAt: '2026-08-01T10:00:00Z', FinishedAt: '2026-08-01T10:12:05Z' },
      },
      HostConfig: { Memory: 64 * MEBIBYTE },
    },
    image,
  );
  const described = { ...facts, name: 'shop-worker-1', wasStopped: false };
  const at = Date.parse('2026-08-01T10:12:05Z');
  const story = {
    ...{ exitCode: 137, signal: 'SIGKILL', oomKilled: true, limitBytes: 64 * MEBIBYTE },
    ...{ hasGoodRun: true, isRunning: false, unknown: ['environment'] as const },
    probes: [{ startedAt: '2026-08-01T10:12:01Z', durationMs: 80, exitCode: 1, output: 'timeout' }],
    changed: [
      { what: 'image', before: 'shop/worker:1.4', after: 'shop/worker:1.5' },
      { what: 'memory', before: String(512 * MEBIBYTE), after: String(64 * MEBIBYTE) },
    ],
    events: [
      { at: at - 725_000, action: 'start' as const },
      { at: at - 4000, action: 'health_status' as const, health: 'unhealthy' as const },
      { at: at - 100, action: 'oom' as const },
      { at, action: 'die' as const, exitCode: 137 },
    ],
  };
  const lastLines = [
    ...Array.from({ length: 18 }, (_, part) => `loading part ${part} of the index`),
    `a line that is longer than the page: ${'index '.repeat(40)}`,
  ];
  const readings = [
    {
      ...{ at: at - 2000, cpuPercent: 80, memoryBytes: 62 * MEBIBYTE, pids: 3 },
      ...{ memoryLimitBytes: 64 * MEBIBYTE, networkReceived: 0, networkSent: 0 },
      ...{ blockRead: 0, blockWritten: 0 },
    },
  ];
  const why = exitSection({ story, lastLines, owner: facts }, readings);
  const isMasked = (key: string): boolean => hidden.reveal(key) !== undefined;
  const others = containerSections(described, { engine: 'default', isMasked });
  return content({
    title: 'shop-worker-1',
    head: containerHead(described),
    sections: keyedSections([why, ...others]).sections,
  });
}

/** What a container used in the last minutes. */
export function usage(fields: Partial<PageUsage> = {}): PageUsage {
  const points = Array.from({ length: 100 }, (_, index) => ({
    at: index * 2000,
    value: index === 40 ? undefined : 30 + 25 * Math.sin(index / 7),
  }));
  return {
    cpu: { label: 'CPU', text: '12%', spoken: 'CPU: 12 %', points, scale: 100 },
    memory: {
      ...{ label: 'Memory', text: '58 MiB of 64 MiB (91%)', spoken: 'Memory: 58 MiB' },
      ...{ points, scale: 60 },
    },
    isOld: false,
    ...fields,
  };
}

/** Returns a content with some of its parts. */
export function content(parts: Partial<DetailsContent>): DetailsContent {
  return {
    title: 'web',
    subtitle: 'Container',
    head: { tone: 'good', sentence: 'Running since today.', why: [] },
    notice: '',
    isLoading: false,
    isPinned: false,
    sections: [],
    ...parts,
  };
}
