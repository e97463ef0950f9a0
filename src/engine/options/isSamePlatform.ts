/** Platforms as entered by the user: `os[/arch[/variant]]`, or only one of the first two. */

/** Synonyms of architectures. */
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
 * Returns whether an image of the platform `has` matches the platform `wanted`. A part that is missing in either
 * matches anything, because few images specify a variant.
 */
export function isSamePlatform(wanted: string, has: string): boolean {
  const [os = '', architecture = '', variant = ''] = normalise(has);
  const [first = '', second, third] = normalise(wanted);
  if (second === undefined) return isOpenOr(first, os) || isOpenOr(first, architecture);
  return isOpenOr(first, os) && isOpenOr(second, architecture) && isOpenOr(third ?? '', variant);
}

/** Returns a platform as JSON, which some query parameters of the engine require. The default OS is Linux. */
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
