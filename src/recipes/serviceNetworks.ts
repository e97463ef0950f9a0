import { chosenAliases } from '../engine/networks/memberAliases.ts';
import { asRecord, asText, asTexts } from '../engine/wire/wire.ts';
import { escapeVariable, type ExternalNames } from './externalNames.ts';
import type { YamlMap } from './formatYaml.ts';

type Wire = Readonly<Record<string, unknown>>;

/** Networks that no service can join by their names. */
const DEFAULT: readonly string[] = ['bridge', 'podman'];
/** Values of the option that are not the name of a network. */
const MODE = /^(?:host$|none$|container:|ns:|slirp4netns\b|pasta\b)/;

/**
 * Returns what a service has for the networks of a container, and the settings that this expresses, as
 * `unsupportedSettings` names them.
 *
 * @param container the complete inspect response. @param network the option.
 */
export function serviceNetworks(
  container: Wire,
  network: string | undefined,
  { service, ownDefault, networks }: NetworkNames,
): { readonly fields: YamlMap; readonly expressed: readonly string[] } {
  if (network !== undefined && MODE.test(network))
    return { fields: { network_mode: escapeVariable(network) }, expressed: [] };
  const endpoints = asRecord(asRecord(container['NetworkSettings'])['Networks']);
  const listed = Object.keys(endpoints).filter((name) => !DEFAULT.includes(name));
  const names = listed.length > 0 || network === undefined ? listed : [network];
  const entries = names.map((name): [string, YamlMap | null] => {
    const aliases = chosenAliases(container, name).filter((alias) => alias !== service);
    const isDefault = name === ownDefault;
    const settings = {
      ...(aliases.length > 0 && { aliases: aliases.map(escapeVariable) }),
      // The network that Compose creates has no addresses to choose.
      ...(!isDefault && addressesOf(asRecord(endpoints[name]))),
    };
    const key = isDefault ? 'default' : networks.keyOf(name);
    return [key, Object.keys(settings).length > 0 ? settings : null];
  });
  const isPlain = entries.every(([, settings]) => settings === null);
  const isOnlyDefault = isPlain && entries.length === 1 && names[0] === ownDefault;
  const fields = { networks: isPlain ? entries.map(([key]) => key) : Object.fromEntries(entries) };
  return {
    fields: entries.length === 0 || isOnlyDefault ? {} : fields,
    expressed: names.flatMap((name) => [
      `Networks ${name}`,
      `Aliases ${name}`,
      ...(name === ownDefault ? [] : [`IPAMConfig ${name}`]),
    ]),
  };
}

interface NetworkNames {
  /** The service, which Compose makes an alias. */
  readonly service: string;
  /** The network that Compose created for the project of the container. */
  readonly ownDefault: string | undefined;
  readonly networks: ExternalNames;
}

function addressesOf(endpoint: Wire): YamlMap {
  const { IPv4Address, IPv6Address, LinkLocalIPs } = asRecord(endpoint['IPAMConfig']);
  const local = asTexts(LinkLocalIPs);
  return {
    ...(asText(IPv4Address) !== '' && { ipv4_address: asText(IPv4Address) }),
    ...(asText(IPv6Address) !== '' && { ipv6_address: asText(IPv6Address) }),
    ...(local.length > 0 && { link_local_ips: local }),
  };
}
