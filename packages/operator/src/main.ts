/** Where the operator is started: an entry that makes the next start faster and smaller, and the program itself. */
import { enableCompileCache, flushCompileCache } from 'node:module';

// Keeps compiled and type-stripped modules between runs; it must be on before the first module of ours is loaded.
enableCompileCache();
const { main } = await import('./program.ts');
// Now, and not only at a peaceful end: to strip types takes more memory than to run.
flushCompileCache();
await main();
