import type { L10n } from '../l10n.ts';

/**
 * All texts of the log viewer's page, in the person's language. `{0}` and `{1}` in them are filled in by the page.
 *
 * @param l10n translates them
 */
export function viewerStrings(l10n: L10n) {
  return { ...barStrings(l10n), ...searchStrings(l10n), ...rowStrings(l10n) };
}

/** Names one of the page's texts. */
export type ViewerString = keyof ReturnType<typeof viewerStrings>;

function barStrings(l10n: L10n) {
  return {
    toolbar: l10n.t('Log'),
    find: l10n.t('Find'),
    filter: l10n.t('Filter'),
    wrap: l10n.t('Wrap Long Lines'),
    times: l10n.t('Times'),
    timesOff: l10n.t('No Times'),
    timesRelative: l10n.t('How Long Ago'),
    timesLocal: l10n.t('Local Time'),
    timesUtc: l10n.t('UTC'),
    fold: l10n.t('Fold Stack Traces'),
    fields: l10n.t('JSON Fields'),
    fieldsAll: l10n.t('Lines As They Are'),
    fieldsNone: l10n.t('No line in view has JSON fields'),
    members: l10n.t('Containers'),
    membersAll: l10n.t('All Containers'),
    memberEnded: l10n.t('{0} (ended)'),
    jump: l10n.t('Go to Time…'),
    clear: l10n.t('Clear'),
    save: l10n.t('Save and Open'),
    saveAll: l10n.t('Save All Lines…'),
    saveMatches: l10n.t('Save Shown Lines…'),
    openDocument: l10n.t('Open as Text Document'),
    follow: l10n.t('Follow the End'),
  };
}

function searchStrings(l10n: L10n) {
  return {
    matchCase: l10n.t('Match Case'),
    wholeWord: l10n.t('Match Whole Word'),
    regex: l10n.t('Use Regular Expression'),
    withKey: l10n.t('{0} ({1})'),
    previous: l10n.t('Previous Match'),
    next: l10n.t('Next Match'),
    close: l10n.t('Close'),
    noResults: l10n.t('No results'),
    searching: l10n.t('Searching…'),
    countOf: l10n.t('{0} of {1}'),
    countOfSoFar: l10n.t('{0} of {1}+'),
    searchBack: l10n.t('Search the Whole Log'),
    stop: l10n.t('Stop'),
    include: l10n.t('Show lines with'),
    exclude: l10n.t('Hide lines with'),
    levels: l10n.t('Levels'),
    streams: l10n.t('Streams'),
    context: l10n.t('Context'),
    contextTitle: l10n.t('Lines shown around each match'),
    rowsOf: l10n.t('{0} of {1} rows'),
    clearFilter: l10n.t('Clear Filter'),
    all: l10n.t('All'),
  };
}

function rowStrings(l10n: L10n) {
  return {
    log: l10n.t('Log of {0}'),
    beginning: l10n.t('Beginning of the log'),
    readingOlder: l10n.t('Reading older lines…'),
    readOlder: l10n.t('Read older lines'),
    dropped: l10n.t('{0} older lines were dropped to stay within the memory budget'),
    newLine: l10n.t('1 new line'),
    newLines: l10n.t('{0} new lines'),
    toEnd: l10n.t('Go to the end and follow'),
    empty: l10n.t('No lines yet'),
    emptyFiltered: l10n.t('No line passes the filter'),
    foldedLine: l10n.t('1 more line'),
    foldedLines: l10n.t('{0} more lines'),
    openFields: l10n.t('Show the JSON fields'),
    closeFields: l10n.t('Hide the JSON fields'),
    cut: l10n.t('The line is longer than what is shown'),
    openLink: l10n.t('{0} (click to follow)'),
    loading: l10n.t('Loading'),
    stderr: l10n.t('standard error'),
    ...levelStrings(l10n),
  };
}

function levelStrings(l10n: L10n) {
  return {
    levelNone: l10n.t('No level'),
    levelTrace: l10n.t('Trace'),
    levelDebug: l10n.t('Debug'),
    levelInfo: l10n.t('Info'),
    levelWarning: l10n.t('Warning'),
    levelError: l10n.t('Error'),
    levelFatal: l10n.t('Fatal'),
  };
}
