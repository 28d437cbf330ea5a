import { bridgeProcess } from './process-bridge.ts';

// The whole program of the .mcpb bundle. `countersign mcp` does the same.
try {
  await bridgeProcess();
  process.exit(0);
} catch (error) {
  console.error(`countersign mcp: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
