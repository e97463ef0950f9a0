import { readImageDefaults } from '../images/imageDefaults.ts';
import { OPTIONS } from '../options/options.ts';
import { optionValue } from '../options/optionValue.ts';
import { asRecord, asText, asTextMap, asTexts } from '../wire/wire.ts';
import { plainText } from '../../base/plainText.ts';
import type { Difference } from './containerFacts.ts';
import type { HiddenValues } from './hiddenValues.ts';

type Wire = Readonly<Record<string, unknown>>;

const LONGEST_VALUE = 1000;

/** Returns which fields of a container differ from the defaults of its image. Of variables and labels, only names. */
export function readDifferences(
  raw: Wire,
  image: Wire,
  hidden: HiddenValues,
): readonly Difference[] {
  const config = asRecord(raw['Config']);
  const ofImage = asRecord(image['Config']);
  const ports = Object.keys(asRecord(config['ExposedPorts']));
  const usual = new Set(readImageDefaults(image).ports);
  const all: readonly Difference[] = [
    ...commandDifferences(config, ofImage, hidden),
    ...plainDifferences(raw, image),
    listed('env', changedNames(OPTIONS.env, raw, image)),
    listed(
      'ports',
      ports.filter((port) => !usual.has(port)),
    ),
    listed('labels', Object.keys(asTextMap(optionValue(OPTIONS.labels, raw, image)))),
  ];
  return all.filter(({ before, after }) => `${before}${after}` !== '');
}

function commandDifferences(config: Wire, ofImage: Wire, hidden: HiddenValues) {
  return (['entrypoint', 'cmd'] as const).flatMap((what): readonly Difference[] => {
    const field = what === 'cmd' ? 'Cmd' : 'Entrypoint';
    const own = wordsOf(config[field]);
    const usual = wordsOf(ofImage[field]);
    if (own.join('\0') === usual.join('\0')) return [];
    const before = hidden.command(`before ${what}`, usual);
    return [{ what, before, after: hidden.command(`after ${what}`, own) }];
  });
}

function plainDifferences(raw: Wire, image: Wire): readonly Difference[] {
  const fields = { user: 'User', workingDir: 'WorkingDir', stopSignal: 'StopSignal' } as const;
  return (['user', 'workingDir', 'stopSignal'] as const).flatMap((what) => {
    const own = optionValue(OPTIONS[what], raw, image);
    const before = asText(asRecord(image['Config'])[fields[what]]);
    return own === undefined ? [] : [{ what, before: shown(before), after: shown(asText(own)) }];
  });
}

function changedNames(option: (typeof OPTIONS)['env'], raw: Wire, image: Wire): readonly string[] {
  return asTexts(optionValue(option, raw, image)).map((entry) => entry.split('=', 1)[0] ?? '');
}

function listed(what: Difference['what'], names: readonly string[]): Difference {
  return { what, before: '', after: shown(names.toSorted().join(', ')) };
}

function shown(text: string): string {
  return plainText(text, LONGEST_VALUE);
}

/** Engines write a command as text, too. */
function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : asTexts(value).filter((word) => word !== '');
}
