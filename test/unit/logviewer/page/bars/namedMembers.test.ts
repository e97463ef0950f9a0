import assert from 'node:assert/strict';
import { namedMembers, nameWidth } from '../../../../../src/logviewer/page/bars/namedMembers.ts';

const membersOf = (names: readonly string[]) =>
  namedMembers(
    names.map((name, index) => ({ index, name, color: 0, isShown: true, isOver: false })),
  );
const shortOf = (...names: readonly string[]) =>
  Array.from(membersOf(names).values(), ({ shortName }) => shortName);

describe('short container names', () => {
  it('omit the prefix that all names share', () => {
    assert.deepEqual(shortOf('shop-api-1', 'shop-db-1'), ['api-1', 'db-1']);
    assert.deepEqual(shortOf('my_shop_api_1', 'my_shop_db_1'), ['api_1', 'db_1']);
    assert.deepEqual(shortOf('shop-api-1', 'shop-app-1'), ['api-1', 'app-1']);
    assert.deepEqual(shortOf('shop-2cde-api-1', 'shop-2cde-db-1'), ['api-1', 'db-1']);
  });

  it('keep more than a number', () => {
    assert.deepEqual(shortOf('shop-api-1', 'shop-api-2'), ['api-1', 'api-2']);
    assert.deepEqual(shortOf('a-1', 'a-2'), ['a-1', 'a-2']);
    assert.deepEqual(shortOf('a-', 'a-b'), ['a-', 'a-b']);
  });

  it('are full names for a single container, even after it was re-created, and if no prefix is shared', () => {
    assert.deepEqual(shortOf('shop-api-1'), ['shop-api-1']);
    assert.deepEqual(shortOf('shop-api-1', 'shop-api-1'), ['shop-api-1', 'shop-api-1']);
    assert.deepEqual(shortOf('web', 'db'), ['web', 'db']);
  });

  it('have a column of 6 to 24 characters', () => {
    assert.equal(nameWidth(membersOf(['a', 'b'])), 6);
    assert.equal(nameWidth(membersOf(['shop-payments-1', 'shop-db-1'])), 10);
    assert.equal(nameWidth(membersOf(['x'.repeat(60), 'y'])), 24);
  });
});
