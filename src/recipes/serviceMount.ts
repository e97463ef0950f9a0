import { parseMount } from '../engine/options/mountSpec.ts';
import { isTypedMount, parseTypedMount } from '../engine/options/typedMount.ts';
import { asRecord, asText } from '../engine/wire/wire.ts';
import { escapeVariable, type ExternalNames } from './externalNames.ts';
import type { YamlItem, YamlMap } from './formatYaml.ts';

/** Options of a mount that Compose reads in the short form. It ignores all others. */
const KNOWN = /^(?:ro|rw|z|Z|nocopy|private|rprivate|shared|rshared|slave|rslave)$/;
/** Sources of the short form: Compose takes others for relative paths, or splits them at a colon. */
const SHORT_SOURCE = /^(?:(?:\/|[a-zA-Z]:[\\/])[^:]*)?$/;

/**
 * Converts a mount to one of a service. Compose cannot express the options in `left`.
 *
 * @param volumes the keys of its volumes.
 */
export function serviceMount(
  text: string,
  volumes: ExternalNames,
): { readonly value: YamlItem; readonly left: readonly string[] } {
  if (isTypedMount(text)) return { value: longMount(text, volumes), left: [] };
  const { kind, source, target } = parseMount(text);
  if (source === '') return { value: escapeVariable(target), left: [] };
  const options = text.slice(source.length + target.length + 2).split(',');
  const kept = options.filter((one) => KNOWN.test(one));
  const left = options
    .filter((one) => one !== '' && !kept.includes(one))
    .map((one) => `${target} ${one}`);
  const named = kind === 'volume' ? volumes.keyOf(source) : source;
  if (kind === 'bind' && !SHORT_SOURCE.test(source)) {
    const value = { type: kind, source: escapeVariable(source), target: escapeVariable(target) };
    return { value: { ...value, ...readOnly(kept.includes('ro')) }, left };
  }
  const parts = [named, target, ...(kept.length > 0 ? [kept.join(',')] : [])];
  return { value: escapeVariable(parts.join(':')), left };
}

function longMount(text: string, volumes: ExternalNames): YamlMap {
  const { Type: type, Source, Target, ReadOnly, ...more } = parseTypedMount(text);
  const { BindOptions: bind, VolumeOptions: volume } = more;
  const source = type === 'volume' && Source !== '' ? volumes.keyOf(Source) : Source;
  const { NoCopy, Subpath } = asRecord(volume);
  const { Propagation, CreateMountpoint } = asRecord(bind);
  const ofVolume = {
    ...(NoCopy === true && { nocopy: true }),
    ...(asText(Subpath) !== '' && { subpath: escapeVariable(asText(Subpath)) }),
  };
  return {
    type,
    ...(source !== '' && { source: escapeVariable(source) }),
    target: escapeVariable(Target),
    ...readOnly(ReadOnly),
    ...(type === 'bind' && {
      bind: {
        ...(asText(Propagation) !== '' && { propagation: asText(Propagation) }),
        // By default, Compose creates it.
        create_host_path: CreateMountpoint === true,
      },
    }),
    ...(Object.keys(ofVolume).length > 0 && { volume: ofVolume }),
  };
}

function readOnly(isReadOnly: boolean | undefined): YamlMap {
  return isReadOnly === true ? { read_only: true } : {};
}
