import type { Page } from 'playwright-core';

/** Resolves to whether the page has stored the extension's state: reloading a page does not wait for that. */
export function isStored(page: Page, key: string, text: string): Promise<boolean> {
  return page.evaluate(findStored, [key, text] as const);
}

/** Runs in the page. */
async function findStored([key, text]: readonly [string, string]): Promise<boolean> {
  const { indexedDB } = globalThis as unknown as { readonly indexedDB: Databases };
  const done = <T>(request: Request<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = reject;
    });
  for (const { name } of await indexedDB.databases()) {
    if (!name.startsWith('vscode-web-state-db')) continue;
    const database = await done(indexedDB.open(name));
    const [store = ''] = database.objectStoreNames;
    const values = await done(database.transaction(store).objectStore(store).getAll());
    database.close();
    const isIt = (value: unknown): boolean =>
      typeof value === 'string' && value.includes(key) && value.includes(text);
    if (values.some(isIt)) return true;
  }
  return false;
}

/** The part of the IndexedDB API that is used here. */
interface Databases {
  databases(): Promise<readonly { readonly name: string }[]>;
  open(name: string): Request<{
    readonly objectStoreNames: readonly string[];
    transaction(store: string): {
      objectStore(name: string): { getAll(): Request<readonly unknown[]> };
    };
    close(): void;
  }>;
}

interface Request<T> {
  readonly result: T;
  onsuccess: () => void;
  onerror: (error: unknown) => void;
}
