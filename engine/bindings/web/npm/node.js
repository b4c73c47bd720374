import { readFileSync } from 'node:fs';
import { functions, join } from './library.js';

const split = readFileSync(new URL('./mysql_collation.wasm.split', import.meta.url));
const { instance } = await WebAssembly.instantiate(join(split));
export const { collation, collations, explain } = functions(instance.exports);
