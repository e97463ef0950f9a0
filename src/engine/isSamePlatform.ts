/** Platforms as people write them: `os[/arch[/variant]]`, or only one of the first two. */

/** Other names of one architecture; what stands nowhere here is its own name. */
const SYNONYMS: Readonly<Record<string, string>> = {
  x86_64: 'amd64',
  'x86-64': 'amd64',
  aarch64: 'arm64',
  armhf: 'arm',
  armel: 'arm',
  i386: '386',
  i686: '386',
};

/**
 * Whether an image of the platform `has` is what was asked for as `wanted`. What one of the two leaves open
 * is no difference: few images name their variant.
 */
export function isSamePlatform(wanted: string, has: string): boolean {
  const [os = '', architecture = '', variant = ''] = normalise(has);
  const [first = '', second, third] = normalise(wanted);
  if (second === undefined) return isOpenOr(first, os) || isOpenOr(first, architecture);
  return isOpenOr(first, os) && isOpenOr(second, architecture) && isOpenOr(third ?? '', variant);
}

/** A platform as the engine's own JSON, which some of its parameters want. Without a system it is Linux. */
export function platformAsJson(platform: string): string {
  const parts = normalise(platform);
  const [os = '', architecture, variant] = parts.length === 1 ? ['linux', ...parts] : parts;
  return JSON.stringify({ os, architecture, variant });
}

function isOpenOr(wanted: string, has: string): boolean {
  return wanted === '' || has === '' || wanted === has;
}

function normalise(platform: string): string[] {
  return platform
    .toLowerCase()
    .split('/')
    .map((part) => SYNONYMS[part] ?? part);
}
