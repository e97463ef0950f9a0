/** Settings of a container that a service can have, but no create option. */

import { formatMemory } from '../engine/options/quantities.ts';
import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../engine/wire/wire.ts';
import { escapeVariable } from './externalNames.ts';
import type { YamlMap, YamlValue } from './formatYaml.ts';
import { isPodmanAnnotation } from './unsupportedSettings.ts';

type Wire = Readonly<Record<string, unknown>>;

/**
 * Returns what a service has for settings that no option expresses, and the settings that it cannot have.
 *
 * @param container the complete inspect response. @param settings as `unsupportedSettings` returns them.
 */
export function serviceSettings(
  container: Wire,
  settings: readonly string[],
): { readonly fields: YamlMap; readonly left: readonly string[] } {
  const host = asRecord(container['HostConfig']);
  const { Domainname: domain } = asRecord(container['Config']);
  const found = settings.map((setting) => {
    const [name = '', port] = setting.split(' ');
    return { setting, name, port, fields: SETTINGS[name]?.({ ...host, Domainname: domain }[name]) };
  });
  const ports = found.flatMap(({ name, port }) =>
    name === 'ExposedPorts' && port !== undefined ? [port.replace('/tcp', '')] : [],
  );
  const all = found.flatMap(({ fields }) => Object.entries(fields ?? {}));
  return {
    fields: { ...(ports.length > 0 && { expose: ports }), ...Object.fromEntries(all) },
    left: found
      .filter(({ name, fields }) => !fields && name !== 'ExposedPorts')
      .map(({ setting }) => setting),
  };
}

/** Converts the value of a setting; undefined if the service cannot have it. */
type Setting = (value: unknown) => YamlMap | undefined;

const text =
  (key: string): Setting =>
  (value) => ({ [key]: escapeVariable(asText(value)) });
const count =
  (key: string): Setting =>
  (value) => ({ [key]: asNumber(value) ?? 0 });
const texts =
  (key: string): Setting =>
  (value) => ({ [key]: asTexts(value).map(escapeVariable) });
const map =
  (key: string): Setting =>
  (value) => ({ [key]: escapedMap(value) });
const size =
  (key: string): Setting =>
  (value) => {
    const bytes = asNumber(value) ?? 0;
    return { [key]: bytes > 0 ? formatMemory(bytes) : bytes };
  };

const SETTINGS: Readonly<Record<string, Setting>> = {
  Annotations: (value) => {
    const own = Object.entries(asTextMap(value)).filter(([name]) => !isPodmanAnnotation(name));
    return { annotations: escapedMap(Object.fromEntries(own)) };
  },
  CgroupParent: text('cgroup_parent'),
  CgroupnsMode: text('cgroup'),
  CpuShares: count('cpu_shares'),
  CpusetCpus: text('cpuset'),
  DeviceCgroupRules: texts('device_cgroup_rules'),
  DeviceRequests: devices,
  DnsOptions: texts('dns_opt'),
  DnsSearch: texts('dns_search'),
  Domainname: text('domainname'),
  GroupAdd: texts('group_add'),
  IpcMode: text('ipc'),
  LogConfig: (value) => {
    const { Type, Config } = asRecord(value);
    const options = escapedMap(Config);
    const isSet = Object.keys(options).length > 0;
    return { logging: { driver: escapeVariable(asText(Type)), ...(isSet && { options }) } };
  },
  MemoryReservation: size('mem_reservation'),
  MemorySwap: size('memswap_limit'),
  MemorySwappiness: count('mem_swappiness'),
  OomKillDisable: (value) => ({ oom_kill_disable: value === true }),
  OomScoreAdj: count('oom_score_adj'),
  PidMode: text('pid'),
  Runtime: text('runtime'),
  StorageOpt: map('storage_opt'),
  Sysctls: map('sysctls'),
  UTSMode: text('uts'),
  Ulimits: limits,
  UsernsMode: text('userns_mode'),
};

function escapedMap(value: unknown): YamlMap {
  const entries = Object.entries(asTextMap(value));
  return Object.fromEntries(entries.map(([key, one]) => [key, escapeVariable(one)]));
}

function limits(value: unknown): YamlMap | undefined {
  const entries = asList(value)
    .map(asRecord)
    .map((one): [string, YamlValue] => {
      const soft = asNumber(one['Soft']) ?? 0;
      const hard = asNumber(one['Hard']) ?? 0;
      const name = asText(one['Name'])
        .toLowerCase()
        .replace(/^rlimit_/, '');
      return [name, soft === hard ? soft : { soft, hard }];
    });
  return entries.every(([name]) => /^[a-z]+$/.test(name)) && entries.length > 0
    ? { ulimits: Object.fromEntries(entries) }
    : undefined;
}

/** Converts reservations of devices such as GPUs. */
function devices(value: unknown): YamlMap | undefined {
  const all = asList(value)
    .map(asRecord)
    .map((request): YamlMap | undefined => {
      const [capabilities, ...others] = asList(request['Capabilities']).map(asTexts);
      const hasOptions = Object.keys(asRecord(request['Options'])).length > 0;
      if (!capabilities || others.length > 0 || hasOptions) return undefined;
      const driver = asText(request['Driver']);
      const ids = asTexts(request['DeviceIDs']);
      const number = asNumber(request['Count']) ?? 0;
      return {
        ...(driver !== '' && { driver }),
        ...(number !== 0 && { count: number === -1 ? 'all' : number }),
        ...(ids.length > 0 && { device_ids: ids }),
        capabilities,
      };
    });
  const known = all.filter((one) => one !== undefined);
  return known.length === all.length
    ? { deploy: { resources: { reservations: { devices: known } } } }
    : undefined;
}
