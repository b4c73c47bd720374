import { functions, join } from './library.js';

const response = await fetch(new URL('./mysql_collation.wasm.split', import.meta.url));
const { instance } = await WebAssembly.instantiate(join(new Uint8Array(await response.arrayBuffer())));
export const { collation, collations, explain } = functions(instance.exports);
