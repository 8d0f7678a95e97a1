/** The `terrain` command: an entry that makes the next start faster, and the program itself. */
import { enableCompileCache } from 'node:module';

// Keeps compiled and type-stripped modules between runs; it must be on before the first module of ours is loaded.
enableCompileCache();
const { main } = await import('./program.ts');
await main();
