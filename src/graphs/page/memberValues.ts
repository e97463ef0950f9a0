import type { PageStrings } from '../../logviewer/page/pageStrings.ts';
import { formatPercent, joinParts } from '../../views/format.ts';
import { formatLineValue } from '../formatGraph.ts';
import type { GraphString } from '../graphStrings.ts';
import type { GraphMember } from '../protocol.ts';
import { GRAPH_LINES, type GraphLine, type TimeSeries } from '../timeSeries.ts';
import type { GraphKind } from './plotOptions.ts';

/** The values of a container, or of several together, at a time. */
export type Values = Readonly<Partial<Record<GraphLine, number>>>;

/** Texts of values, by the columns of the table of containers. */
export type ValueTexts = Readonly<Record<GraphKind | 'limit', string>>;

/** Returns the values of a container at an index of the times. */
export function valuesOf(series: TimeSeries, key: string, index: number): Values {
  return Object.fromEntries(
    GRAPH_LINES.map((line) => [line, series.valueAt(key, line, index)] as const),
  );
}

/** Adds up values; what none of them has stays unknown. */
export function sumOf(all: readonly Values[]): Values {
  return Object.fromEntries(
    GRAPH_LINES.map((line) => {
      const known = all.flatMap((one) => one[line] ?? []);
      return [line, known.length === 0 ? undefined : known.reduce((a, b) => a + b, 0)] as const;
    }),
  );
}

/**
 * Returns values as texts, one for each graph; empty if unknown.
 *
 * @param limit the memory limit, if there is one of all.
 */
export function valueTexts(
  values: Values,
  limit: number | null | undefined,
  strings: PageStrings<GraphString>,
): ValueTexts {
  const text = (line: GraphLine): string => {
    const value = values[line];
    return value === undefined ? '' : formatLineValue(line, value);
  };
  return {
    cpu: text('cpu'),
    memory: text('memory'),
    limit: limitText(values.memory, limit, strings),
    network: pairOf(text('received'), text('sent')),
    block: pairOf(text('read'), text('written')),
    pids: text('pids'),
  };
}

/** Returns the texts beside the titles of graphs. Those of two directions say which is which. */
export function titledTexts(
  values: Values,
  limit: number | null | undefined,
  strings: PageStrings<GraphString>,
): Readonly<Record<GraphKind, string>> {
  const texts = valueTexts(values, limit, strings);
  const named = (line: 'received' | 'sent' | 'read' | 'written'): string => {
    const value = values[line];
    return value === undefined
      ? ''
      : `${strings.get(`line.${line}`)} ${formatLineValue(line, value)}`;
  };
  return {
    ...texts,
    memory: joinParts(texts.memory, texts.limit),
    network: joinParts(named('received'), named('sent')),
    block: joinParts(named('read'), named('written')),
  };
}

/**
 * Returns what is said above the graphs; empty if nothing.
 *
 * @param hidden how many containers are not shown.
 */
export function membersText(
  members: readonly GraphMember[],
  hidden: number,
  series: TimeSeries,
  strings: PageStrings<GraphString>,
): string {
  if (members.length === 0) return strings.get('noContainers');
  const more = hidden > 0 ? strings.get('hidden', strings.formatCount(hidden)) : '';
  const [only] = members.length === 1 ? members : [];
  const state =
    only && only.state !== 'up'
      ? joinParts(only.name, strings.get(only.state === 'gone' ? 'gone' : 'stopped'))
      : '';
  // Graphs that stay empty look as if they still waited.
  const isEmpty = members.every((one) => one.state !== 'up' && !series.latestOf(one.key));
  return joinParts(more || state, isEmpty ? strings.get('none') : '');
}

/** As `docker stats` shows what comes in and goes out. */
function pairOf(first: string, second: string): string {
  return first === '' && second === '' ? '' : `${first || '?'} / ${second || '?'}`;
}

function limitText(
  used: number | undefined,
  limit: number | null | undefined,
  strings: PageStrings<GraphString>,
): string {
  if (used === undefined || typeof limit !== 'number' || limit <= 0) return '';
  const share = formatPercent((used / limit) * 100);
  return strings.get('ofLimit', share, formatLineValue('memory', limit));
}
