import { functions } from './library.js';

const response = await fetch(new URL('./mysql_collation.wasm', import.meta.url));
// Not every server names WebAssembly's media type, which streaming needs.
const { instance } = await WebAssembly.instantiate(await response.arrayBuffer());
export const { collation, collations, explain } = functions(instance.exports);
