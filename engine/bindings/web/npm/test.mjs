// Tests the installed package.
import assert from 'node:assert/strict';
import test from 'node:test';
import { collation, collations, explain } from 'mysql-collation';

test('compares and sorts as the servers do', () => {
  const words = collation('mysql:utf8mb4_0900_ai_ci');
  assert.deepEqual(words.sort(['Zug', 'STRASSE', 'Ähre', 'Straße']), ['Ähre', 'STRASSE', 'Straße', 'Zug']);
  assert.deepEqual(['b', 'A'].sort(words.compare), ['A', 'b']);
  assert.ok(words.equals('Straße', 'STRASSE') && !collation('utf8mb4_bin').equals('a', 'A'));
  assert.ok(words.equals('é', 'E') && !collation('mysql:utf8mb4_0900_as_cs').equals('é', 'e'));
});

test('keys compare as strings do', () => {
  const latin1 = collation('mysql:latin1_swedish_ci');
  assert.equal(Buffer.compare(latin1.sortKey('ö'), latin1.sortKey('Ö')), 0);
  assert.ok(Buffer.compare(latin1.sortKey('z'), latin1.sortKey('ö')) < 0);
  assert.deepEqual([...latin1.weightString('ab')], [0x41, 0x42]);
  assert.ok(latin1.equals('\u{1F600}', '?'), 'a character that latin1 lacks');
});

test('matches patterns', () => {
  const general = collation('mysql:utf8mb4_general_ci');
  assert.ok(general.like('Straße', 's_r%') && general.like('100%', '100\\%') && !general.like('100 ', '100|%', '|'));
});

test('names', () => {
  assert.throws(() => collation('utf8mb4_klingon_ci'), /neither MySQL nor MariaDB/);
  const names = collations();
  assert.ok(names.length > 1400);
  for (const { name } of names.filter(({ servers }) => !servers.includes(';'))) {
    assert.equal(collation(name).compare('a', 'b'), -1, name);
  }
  const [different] = names.filter(({ servers }) => servers.includes(';'));
  assert.throws(() => collation(different.name), /differently/);
});

test('explains', () => {
  const { views } = explain('Straße', 'STRASSE', ['utf8mb4_0900_ai_ci']);
  assert.equal(views[0].verdict, 'equal');
});
