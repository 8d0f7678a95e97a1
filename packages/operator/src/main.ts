/** Where the operator is started: an entry that makes the next start faster and smaller, and the program itself. */
import { enableCompileCache } from 'node:module';

// Keeps compiled and type-stripped modules between runs; it must be on before the first module of ours is loaded.
enableCompileCache();
const { main } = await import('./program.ts');
await main();
