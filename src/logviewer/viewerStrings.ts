import * as l10n from '@vscode/l10n';

/**
 * Returns all localized texts of the log viewer's page. The page fills in `{0}` and `{1}`.
 *
 * @param isBuild whether the members are the steps of a build.
 */
export function viewerStrings(isBuild = false) {
  return {
    ...(isBuild ? stepStrings() : containerStrings()),
    toolbar: l10n.t('Log'),
    find: l10n.t('Find'),
    filter: l10n.t('Filter'),
    wrap: l10n.t('Wrap Long Lines'),
    times: l10n.t('Timestamps'),
    'times.off': l10n.t('Hide Timestamps'),
    'times.relative': l10n.t('Relative Time'),
    'times.local': l10n.t('Local Time'),
    'times.utc': l10n.t('UTC'),
    fold: l10n.t('Fold Stack Traces'),
    fields: l10n.t('JSON Fields'),
    fieldsAll: l10n.t('Raw Lines'),
    fieldsNone: l10n.t('No line in view has JSON fields'),
    jump: l10n.t('Go to Time...'),
    clear: l10n.t('Clear'),
    save: l10n.t('Save and Open'),
    saveAll: l10n.t('Save All Lines...'),
    saveMatches: l10n.t('Save Shown Lines...'),
    openDocument: l10n.t('Open as Text Document'),
    follow: l10n.t('Follow'),
    // Search and filter
    matchCase: l10n.t('Match Case'),
    wholeWord: l10n.t('Match Whole Word'),
    isRegex: l10n.t('Use Regular Expression'),
    withKey: l10n.t('{0} ({1})'),
    previous: l10n.t('Previous Match'),
    next: l10n.t('Next Match'),
    close: l10n.t('Close'),
    noResults: l10n.t('No results'),
    searching: l10n.t('Searching...'),
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
    invalidRegex: l10n.t('Invalid regular expression: {0}'),
    clearFilter: l10n.t('Clear Filter'),
    all: l10n.t('All'),
    // Rows
    log: l10n.t('Log of {0}'),
    beginning: l10n.t('Start of the log'),
    readingOlder: l10n.t('Reading older lines...'),
    readOlder: l10n.t('Read older lines'),
    dropped: l10n.t('Dropped {0} older lines to stay within the memory limit'),
    newLine: l10n.t('1 new line'),
    newLines: l10n.t('{0} new lines'),
    toEnd: l10n.t('Go to the end and follow'),
    empty: l10n.t('No lines yet'),
    emptyFiltered: l10n.t('No lines match the filter'),
    foldedLine: l10n.t('1 more line'),
    foldedLines: l10n.t('{0} more lines'),
    openFields: l10n.t('Show JSON fields'),
    closeFields: l10n.t('Hide JSON fields'),
    cut: l10n.t('Line truncated'),
    openLink: l10n.t('{0} (click to follow)'),
    loading: l10n.t('Loading'),
    stderr: l10n.t('stderr'),
    'level.none': l10n.t('No level'),
    'level.trace': l10n.t('Trace'),
    'level.debug': l10n.t('Debug'),
    'level.info': l10n.t('Info'),
    'level.warning': l10n.t('Warning'),
    'level.error': l10n.t('Error'),
    'level.fatal': l10n.t('Fatal'),
  };
}

function containerStrings() {
  return {
    members: l10n.t('Containers'),
    membersAll: l10n.t('All Containers'),
    memberEnded: l10n.t('{0} (exited)'),
  };
}

function stepStrings(): ReturnType<typeof containerStrings> {
  return {
    members: l10n.t('Steps'),
    membersAll: l10n.t('All Steps'),
    memberEnded: l10n.t('{0} (ended)'),
  };
}

/** Key of one of the page's texts. */
export type ViewerString = keyof ReturnType<typeof viewerStrings>;
