import { readFileSync } from 'node:fs';
import { functions } from './library.js';

const bytes = readFileSync(new URL('./mysql_collation.wasm', import.meta.url));
const { instance } = await WebAssembly.instantiate(bytes);
export const { collation, collations, explain } = functions(instance.exports);
