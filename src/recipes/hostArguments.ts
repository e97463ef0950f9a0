/** How a container stands on its machine: ports, network, limits, rights. */

import type { CreateArguments } from '../engine/options/createSpec.ts';
import { formatMemory } from '../engine/options/quantities.ts';
import { asList, asNumber, asRecord, asText, asTexts } from '../engine/wire.ts';
import { devicesOf } from './mountArguments.ts';

type Wire = Readonly<Record<string, unknown>>;
type Part = Partial<CreateArguments>;

/** Networks that stand for "not said", by the engines' different words. */
const USUAL_NETWORKS: readonly string[] = ['', 'default', 'bridge', 'slirp4netns', 'pasta'];
/** Bytes that engines take for the shared memory where nothing is said. */
const USUAL_SHM: readonly number[] = [0, 67_108_864, 65_536_000];
/** Processes; one engine writes its own default down. */
const USUAL_PIDS: readonly number[] = [0, -1, 2048];

/** Published ports and the network. */
export function networkArguments(container: Wire): Part {
  const host = asRecord(container['HostConfig']);
  const network = asText(host['NetworkMode']);
  const ports = portsOf(host);
  const hostname = hostnameOf(container, network);
  return {
    ...(ports.length > 0 && { ports }),
    ...(host['PublishAllPorts'] === true && { publishAll: true }),
    ...(!USUAL_NETWORKS.includes(network) && { network }),
    ...(hostname !== '' && { hostname }),
    ...listPart('dns', host['Dns']),
    ...listPart('extraHosts', host['ExtraHosts']),
  };
}

function portsOf(host: Wire): readonly string[] {
  return Object.entries(asRecord(host['PortBindings'])).flatMap(([container, bindings]) => {
    const [port = '', protocol = 'tcp'] = container.split('/');
    const end = protocol === 'tcp' ? port : `${port}/${protocol}`;
    const all = asList(bindings).map(asRecord);
    // So one engine says that it is exposed and no more.
    if (bindings === null) return [];
    if (all.length === 0) return [end];
    return all.map((binding) => {
      const [ip, hostPort] = [asText(binding['HostIp']), asText(binding['HostPort'])];
      const address = ip.includes(':') ? `[${ip}]:` : ip === '' ? '' : `${ip}:`;
      return `${address}${hostPort === '' || hostPort === '0' ? '' : `${hostPort}:`}${end}`;
    });
  });
}

/** Unless it is the id, or that of the machine or the container whose network it has. */
function hostnameOf(container: Wire, network: string): string {
  const name = asText(asRecord(container['Config'])['Hostname']);
  const isBorrowed = network === 'host' || network.startsWith('container:');
  return isBorrowed || asText(container['Id']).startsWith(name) ? '' : name;
}

/** When it comes back, and whether it goes at its end. */
export function lifecycleArguments(host: Wire): Part {
  const policy = asRecord(host['RestartPolicy']);
  const [name, count] = [asText(policy['Name']), asNumber(policy['MaximumRetryCount']) ?? 0];
  const restart = name === 'on-failure' && count > 0 ? `on-failure:${count}` : name;
  return {
    ...(restart !== '' && restart !== 'no' && { restart }),
    ...(host['AutoRemove'] === true && { autoRemove: true }),
  };
}

/** How much it may take. */
export function limitArguments(host: Wire): Part {
  const [memory, shm] = [asNumber(host['Memory']) ?? 0, asNumber(host['ShmSize']) ?? 0];
  const [cpus, pids] = [cpusOf(host), asNumber(host['PidsLimit']) ?? 0];
  return {
    ...(memory > 0 && { memory: formatMemory(memory) }),
    ...(!USUAL_SHM.includes(shm) && { shmSize: formatMemory(shm) }),
    ...(cpus > 0 && { cpus }),
    ...(!USUAL_PIDS.includes(pids) && { pidsLimit: pids }),
  };
}

/** As a number of processors, or as a share of a period, which is the same. */
function cpusOf(host: Wire): number {
  const nano = asNumber(host['NanoCpus']) ?? 0;
  const [quota, period] = [asNumber(host['CpuQuota']) ?? 0, asNumber(host['CpuPeriod']) ?? 0];
  if (nano > 0) return nano / 1e9;
  return quota > 0 && period > 0 ? quota / period : 0;
}

/** What it may do. */
export function privilegeArguments(host: Wire): Part {
  const devices = devicesOf(host);
  return {
    ...(host['Init'] === true && { init: true }),
    ...(host['ReadonlyRootfs'] === true && { readOnly: true }),
    ...(host['Privileged'] === true && { privileged: true }),
    ...listPart('capAdd', host['CapAdd']),
    ...listPart('capDrop', host['CapDrop']),
    ...listPart('securityOpt', host['SecurityOpt']),
    ...(devices.length > 0 && { devices }),
  };
}

type ListField = 'dns' | 'extraHosts' | 'capAdd' | 'capDrop' | 'securityOpt';

function listPart(field: ListField, value: unknown): Part {
  const list = asTexts(value);
  return list.length > 0 ? { [field]: list } : {};
}
