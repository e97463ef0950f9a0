import assert from 'node:assert/strict';
import { readPodmanSample, readSample } from '../../../../src/engine/statistics/readSample.ts';

const READ = '2026-08-01T10:00:00.5Z';
const AT = Date.parse(READ);

/** A record as Docker 28 sends it on a machine with cgroup v1. */
const V1 = {
  read: READ,
  cpu_stats: { cpu_usage: { total_usage: 2_500_000_000, percpu_usage: [1, 2] }, online_cpus: 2 },
  memory_stats: {
    usage: 110_000_000,
    max_usage: 120_000_000,
    limit: 256_000_000,
    stats: { total_inactive_file: 10_000_000, inactive_file: 7 },
  },
  blkio_stats: {
    io_service_bytes_recursive: [
      { major: 8, op: 'Read', value: 100 },
      { major: 8, op: 'Write', value: 30 },
      { major: 9, op: 'Read', value: 1 },
      { major: 8, op: 'Total', value: 999 },
    ],
  },
  pids_stats: { current: 3, limit: 2 ** 64 },
  networks: { eth0: { rx_bytes: 5, tx_bytes: 6 }, eth1: { rx_bytes: 10, tx_bytes: 20 } },
};

describe('engine/statistics/readSample', () => {
  it('reads what a container uses, without the cache of files', () => {
    assert.deepEqual(readSample(V1), {
      engineAt: AT,
      cpuMs: 2500,
      memoryBytes: 100_000_000,
      memoryLimitBytes: 256_000_000,
      networkReceived: 15,
      networkSent: 26,
      blockRead: 101,
      blockWritten: 30,
      pids: 3,
    });
  });

  it('reads the shape of cgroup v2, which has other names for the cache and for operations', () => {
    const { memory_stats: memory, ...rest } = V1;
    const sample = readSample({
      ...rest,
      memory_stats: {
        usage: memory.usage,
        limit: memory.limit,
        stats: { inactive_file: 4_000_000 },
      },
      blkio_stats: {
        io_service_bytes_recursive: [
          { op: 'read', value: 7 },
          { op: 'write', value: 8 },
        ],
      },
    });
    assert.equal(sample?.memoryBytes, 106_000_000);
    assert.deepEqual([sample.blockRead, sample.blockWritten], [7, 8]);
  });

  it('reads that of a container without network, limits of its own and disks, as rootless engines do', () => {
    const { networks: _, ...rest } = V1;
    const sample = readSample({
      ...rest,
      memory_stats: { usage: 5, limit: 9_223_372_036_854_771_712 },
      blkio_stats: { io_service_bytes_recursive: null },
      pids_stats: {},
    });
    assert.deepEqual(
      [sample?.memoryBytes, sample?.memoryLimitBytes, sample?.networkReceived, sample?.blockRead],
      [5, undefined, 0, undefined],
    );
    assert.equal(sample?.pids, undefined);
  });

  for (const [what, record] of [
    ['a container that does not run', { ...V1, read: '0001-01-01T00:00:00Z' }],
    ['an empty record', {}],
    ['no object', null],
    ['a text', 'x'],
    ['no memory', { ...V1, memory_stats: {} }],
    ['no time of processors', { ...V1, cpu_stats: {} }],
    [
      'a time of processors that no machine has',
      { ...V1, cpu_stats: { cpu_usage: { total_usage: 1e308 } } },
    ],
    ['a time below zero', { ...V1, cpu_stats: { cpu_usage: { total_usage: -1 } } }],
    ['a date after the last', { ...V1, read: '+275760-09-13T00:00:01Z' }],
  ] as const)
    it(`reads nothing from ${what}`, () => assert.equal(readSample(record), undefined));

  it('bounds what a hostile engine sends', () => {
    const interfaces: [string, object][] = Array.from({ length: 10_000 }, (_, at) => [
      `eth${at}`,
      { rx_bytes: 1 },
    ]);
    const sample = readSample({
      ...V1,
      memory_stats: { usage: 10, limit: 1e308, stats: { total_inactive_file: 11 } },
      networks: Object.fromEntries(interfaces),
      blkio_stats: { io_service_bytes_recursive: [{ op: 'Read', value: 1e308 }, { op: {} }, null] },
      pids_stats: { current: Infinity },
    });
    assert.deepEqual(
      [sample?.memoryBytes, sample?.memoryLimitBytes, sample?.networkReceived],
      [10, undefined, 1000],
    );
    assert.deepEqual([sample?.blockRead, sample?.pids], [0, undefined]);
  });

  const PODMAN = {
    ContainerID: 'abc',
    CPUNano: 2_000_000,
    SystemNano: AT * 1_000_000,
    MemUsage: 100,
    MemLimit: 1000,
    BlockInput: 1,
    BlockOutput: 2,
    PIDs: 4,
  };

  it('reads an entry of Podman 5, with its interfaces', () => {
    const Network = { eth0: { RxBytes: 3, TxBytes: 4 }, eth1: { RxBytes: 30, TxBytes: 40 } };
    assert.deepEqual(readPodmanSample({ ...PODMAN, Network }), {
      id: 'abc',
      sample: {
        engineAt: AT,
        cpuMs: 2,
        memoryBytes: 100,
        memoryLimitBytes: 1000,
        networkReceived: 33,
        networkSent: 44,
        blockRead: 1,
        blockWritten: 2,
        pids: 4,
      },
    });
  });

  it('reads an entry of Podman 4, with its sums', () => {
    const read = readPodmanSample({ ...PODMAN, NetInput: 3, NetOutput: 4 });
    assert.deepEqual([read?.sample.networkReceived, read?.sample.networkSent], [3, 4]);
  });

  it('reads nothing from an entry of Podman with zeros: the container has stopped', () => {
    assert.equal(readPodmanSample({ ...PODMAN, CPUNano: 0, MemUsage: 0 }), undefined);
    assert.equal(readPodmanSample(null), undefined);
  });
});
