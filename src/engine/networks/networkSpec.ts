import { InputError } from '../errors.ts';
import { PREDEFINED_NETWORKS, type Network } from '../model.ts';
import { quotable } from '../../base/plainText.ts';
import { checkLabels } from '../options/optionChecks.ts';
import {
  formatSubnet,
  isHostAddress,
  isInSubnet,
  parseIp,
  parseSubnet,
  type IpAddress,
  type IpRange,
} from './ipRange.ts';

/** The options of a new network. What is not given is the engine default. */
export interface NetworkSpec {
  readonly name: string;
  /** `bridge`, `macvlan`, or another driver of the engine. */
  readonly driver?: string;
  /** In CIDR notation, IPv4 or IPv6. */
  readonly subnet?: string;
  /** An address in the subnet. */
  readonly gateway?: string;
  /** Whether the network has no way out to other networks. */
  readonly internal?: boolean;
  /** Whether containers that are not of a swarm service can be connected. Podman ignores it. */
  readonly attachable?: boolean;
  readonly ipv6?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The options of a connection to a network. */
export interface ConnectSpec {
  /** Other names under which containers on the network find this one. */
  readonly aliases?: readonly string[];
  /** A fixed address, IPv4 or IPv6. */
  readonly ip?: string;
}

/** Returns the request body for a network. @throws InputError that names the field. */
export function networkRequestBody(spec: NetworkSpec): object {
  const { driver, subnet, gateway, internal, attachable, labels = {} } = spec;
  const range = subnet === undefined ? undefined : checkSubnet(subnet);
  if (gateway !== undefined) checkGateway(gateway, subnet);
  return {
    Name: checkNetworkName(spec.name),
    // Without it, Docker 20.10 creates a second network of the same name.
    CheckDuplicate: true,
    ...(driver !== undefined && { Driver: checkDriver(driver) }),
    ...(internal !== undefined && { Internal: internal }),
    ...(attachable !== undefined && { Attachable: attachable }),
    ...ipv6OnWire(spec, range),
    ...(subnet !== undefined && {
      IPAM: { Config: [{ Subnet: subnet, ...(gateway !== undefined && { Gateway: gateway }) }] },
    }),
    Labels: checkLabels(labels),
  };
}

/** Docker ignores an IPv6 subnet unless IPv6 is on. */
function ipv6OnWire({ ipv6, subnet = '' }: NetworkSpec, range: IpRange | undefined) {
  if (range?.family !== 6) return ipv6 === undefined ? {} : { EnableIPv6: ipv6 };
  if (ipv6 !== false) return { EnableIPv6: true };
  throw InputError.of('The subnet "{0}" needs IPv6. Turn IPv6 on, or use an IPv4 subnet.', subnet);
}

const RESERVED: readonly string[] = [...PREDEFINED_NETWORKS, 'default'];

/** Accepts the name of a new network. Docker accepts more, but such a network cannot be used by its name. */
export function checkNetworkName(name: string): string {
  if (!/^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/.test(name)) {
    throw InputError.of(
      '"{0}" is not a valid network name. Use letters, digits, _, ., or -, starting with a letter or digit.',
      quotable(name),
    );
  }
  if (!RESERVED.includes(name)) return name;
  throw InputError.of('"{0}" is the name of a predefined network. Use another name.', name);
}

export function checkDriver(driver: string): string {
  if (/^[a-zA-Z0-9][\w.:/-]*$/.test(driver)) return driver;
  throw InputError.of(
    '"{0}" is not a network driver. Use a name such as bridge or macvlan.',
    quotable(driver),
  );
}

/** The longest prefixes that leave room for a gateway and a container. */
const LONGEST = { 4: 30, 6: 126 } as const;

/** Parses the subnet of a new network. @throws InputError. */
export function checkSubnet(subnet: string): IpRange {
  const range = parseSubnet(subnet);
  if (!range || range.prefix === 0) {
    throw InputError.of(
      '"{0}" is not a subnet. Use the form 10.20.0.0/16 or fd00:20::/64.',
      quotable(subnet),
    );
  }
  if (range.hasHostBits) {
    throw InputError.of(
      'The subnet "{0}" has host bits set. Use {1}.',
      subnet,
      formatSubnet(range),
    );
  }
  if (range.prefix <= LONGEST[range.family]) return range;
  throw InputError.of(
    'The subnet "{0}" is too small. Use a prefix of at most {1}.',
    subnet,
    LONGEST[range.family],
  );
}

/** Accepts the gateway of a new network: a host address in its subnet. @throws InputError. */
export function checkGateway(gateway: string, subnet: string | undefined): string {
  const ip = checkIp(gateway);
  if (subnet === undefined)
    throw InputError.of('The gateway "{0}" needs a subnet. Set both, or neither.', gateway);
  const range = checkSubnet(subnet);
  if (isInSubnet(ip, range) && isHostAddress(ip, range)) return gateway;
  throw InputError.of(
    'The gateway "{0}" is not a host address in the subnet {1}.',
    quotable(gateway),
    subnet,
  );
}

/** Accepts an alias of a container. */
export function checkAlias(alias: string): string {
  if (/^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,252}$/.test(alias)) return alias;
  throw InputError.of(
    '"{0}" is not a valid alias. Use letters, digits, _, ., or -, such as db.',
    quotable(alias),
  );
}

/** Accepts a fixed address on a network: a free host address in one of its subnets, as far as they are known. */
export function checkFixedIp(ip: string, network: Network): string {
  const address = checkIp(ip);
  const { name, subnets } = network;
  if (subnets.length === 0)
    throw InputError.of('The network "{0}" has no subnet. Connect without a fixed address.', name);
  const ranges = subnets.flatMap(({ subnet }) => parseSubnet(subnet) ?? []);
  if (!ranges.some((range) => isInSubnet(address, range) && isHostAddress(address, range))) {
    const all = subnets.map(({ subnet }) => subnet).join(', ');
    throw InputError.of('"{0}" is not a host address on the network "{1}" ({2}).', ip, name, all);
  }
  const isGateway = subnets.some(
    ({ gateway }) => gateway !== undefined && parseIp(gateway)?.value === address.value,
  );
  if (!isGateway) return ip;
  throw InputError.of('"{0}" is the gateway of the network "{1}".', ip, name);
}

/** Accepts an IP address. @throws InputError. */
function checkIp(ip: string): IpAddress {
  const address = parseIp(ip);
  if (address) return address;
  throw InputError.of('"{0}" is not an IP address. Use the form 10.20.0.5.', ip);
}

/** Returns the endpoint of a connection request. Call after the checks. */
export function endpointOnWire({ aliases = [], ip }: ConnectSpec): object {
  const family = ip === undefined ? undefined : parseIp(ip)?.family;
  return {
    ...(aliases.length > 0 && { Aliases: aliases }),
    ...(family !== undefined && {
      IPAMConfig: family === 4 ? { IPv4Address: ip } : { IPv6Address: ip },
    }),
  };
}
