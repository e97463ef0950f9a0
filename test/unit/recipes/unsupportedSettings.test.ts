// Each field of `HostConfig` in the description of the API (1.51), and older ones, is either copied or named.
import assert from 'node:assert/strict';
import { OPTIONS } from '../../../src/engine/options/options.ts';
import { containerSpec } from '../../../src/recipes/containerSpec.ts';

/** A value for each field that no option copies. */
const NAMED: Readonly<Record<string, unknown>> = {
  Annotations: { owner: 'me' },
  BlkioDeviceReadBps: [{ Path: '/dev/a', Rate: 1 }],
  BlkioDeviceReadIOps: [{ Path: '/dev/a', Rate: 1 }],
  BlkioDeviceWriteBps: [{ Path: '/dev/a', Rate: 1 }],
  BlkioDeviceWriteIOps: [{ Path: '/dev/a', Rate: 1 }],
  BlkioWeight: 10,
  BlkioWeightDevice: [{ Path: '/dev/a', Weight: 10 }],
  Cgroup: 'container:x',
  CgroupParent: '/parent',
  CgroupnsMode: 'private',
  ContainerIDFile: '/tmp/id',
  CpuCount: 1,
  CpuPercent: 1,
  CpuPeriod: 50_000,
  CpuRealtimePeriod: 1,
  CpuRealtimeRuntime: 1,
  CpuShares: 512,
  CpusetCpus: '0',
  CpusetMems: '0',
  DeviceCgroupRules: ['c 1:3 r'],
  DeviceRequests: [{ Driver: 'nvidia', Count: -1 }],
  DnsOptions: ['ndots:1'],
  DnsSearch: ['example'],
  GroupAdd: ['100'],
  IOMaximumBandwidth: 1,
  IOMaximumIOps: 1,
  IpcMode: 'shareable',
  Isolation: 'hyperv',
  KernelMemory: 1,
  KernelMemoryTCP: 1,
  Links: ['/db:/web/db'],
  LogConfig: { Type: 'local', Config: {} },
  MaskedPaths: [],
  MemoryReservation: 1,
  MemorySwap: -1,
  MemorySwappiness: 0,
  OomKillDisable: true,
  OomScoreAdj: 1,
  PidMode: 'host',
  ReadonlyPaths: ['/proc/bus'],
  Runtime: 'io.containerd.runc.v2',
  StorageOpt: { size: '1G' },
  Sysctls: { 'net.ipv4.ip_forward': '1' },
  UTSMode: 'host',
  Ulimits: [{ Name: 'nofile', Soft: 1, Hard: 1 }],
  UsernsMode: 'host',
  VolumeDriver: 'nfs',
  VolumesFrom: ['db'],
};

/** Copied by an option for another field, or not a choice: the size of the terminal. */
const OTHERWISE = ['Mounts', 'CpuQuota', 'ConsoleSize'];

/** All fields of `HostConfig`, and of `Resources`, which is a part of it. */
const FIELDS =
  `CpuShares Memory CgroupParent BlkioWeight BlkioWeightDevice BlkioDeviceReadBps BlkioDeviceWriteBps
  BlkioDeviceReadIOps BlkioDeviceWriteIOps CpuPeriod CpuQuota CpuRealtimePeriod CpuRealtimeRuntime CpusetCpus CpusetMems
  Devices DeviceCgroupRules DeviceRequests KernelMemory KernelMemoryTCP MemoryReservation MemorySwap MemorySwappiness
  NanoCpus OomKillDisable Init PidsLimit Ulimits CpuCount CpuPercent IOMaximumIOps IOMaximumBandwidth Binds
  ContainerIDFile LogConfig NetworkMode PortBindings RestartPolicy AutoRemove VolumeDriver VolumesFrom Mounts ConsoleSize
  Annotations CapAdd CapDrop CgroupnsMode Dns DnsOptions DnsSearch ExtraHosts GroupAdd IpcMode Cgroup Links OomScoreAdj
  PidMode Privileged PublishAllPorts ReadonlyRootfs SecurityOpt StorageOpt Tmpfs UTSMode UsernsMode ShmSize Sysctls
  Runtime Isolation MaskedPaths ReadonlyPaths`.split(/\s+/);

const info = { DefaultRuntime: 'runc', LoggingDriver: 'json-file', CgroupVersion: '1', Name: 'me' };

function namesOf(host: object, config: object = {}, facts: object = { info }): readonly string[] {
  const container = { Id: 'f'.repeat(64), Config: { Image: 'x', ...config }, HostConfig: host };
  return containerSpec(container, {}, facts).unsupported;
}

describe('the settings that a copy does not have', () => {
  const copied = new Set(
    Object.values(OPTIONS).map(({ at = '' }) => at.replace('HostConfig.', '')),
  );

  for (const field of FIELDS) {
    it(`names ${field} if it is set, unless it is copied`, () => {
      if (copied.has(field) || OTHERWISE.includes(field)) return;
      assert(field in NAMED, field);
      assert.deepEqual(namesOf({ [field]: NAMED[field] }), [field]);
    });
  }

  it('names nothing of a container without settings of its own, on any engine', () => {
    const docker = {
      LogConfig: { Type: 'json-file', Config: {} },
      ConsoleSize: [24, 80],
      CgroupnsMode: 'host',
      IpcMode: 'private',
      Runtime: 'runc',
      Isolation: '',
      MemorySwappiness: null,
      MaskedPaths: ['/proc/kcore', '/proc/interrupts', '/sys/devices/virtual/powercap'],
      ReadonlyPaths: ['/proc/bus', '/proc/sys'],
    };
    assert.deepEqual(namesOf(docker), []);
    assert.deepEqual(namesOf({ ...docker, Runtime: '', MaskedPaths: null, Privileged: true }), []);
    const podman = {
      CgroupnsMode: 'host',
      IpcMode: 'shareable',
      PidMode: 'private',
      UTSMode: 'private',
      Runtime: 'oci',
      CgroupParent: 'user.slice',
      MemorySwappiness: 0,
      MaskedPaths: null,
    };
    assert.deepEqual(namesOf(podman), []);
    assert.deepEqual(namesOf(podman, {}, { info, runtime: 'runc' }), []);
  });

  it('names the runtime of a container of Podman, which its inspect response does not have', () => {
    assert.deepEqual(namesOf({ Runtime: 'oci' }, {}, { info, runtime: 'kata' }), ['Runtime']);
  });

  it('names a host name in the network of the host, and a network that is turned off', () => {
    const host = { NetworkMode: 'host' };
    assert.deepEqual(namesOf(host, { Hostname: 'me' }), []);
    assert.deepEqual(namesOf(host, { Hostname: 'other' }), ['Hostname']);
    assert.deepEqual(namesOf({}, { NetworkDisabled: true }), ['NetworkDisabled']);
  });

  it('takes no default for granted that it does not know', () => {
    const host = { Runtime: 'runc', LogConfig: { Type: 'local' }, CgroupnsMode: 'private' };
    assert.deepEqual(namesOf(host, {}, {}), []);
    assert.deepEqual(namesOf({ Runtime: 'runsc' }, {}, {}), ['Runtime']);
  });
});
