import { serverLoad } from './server-load.ts';
import { printTable } from './table.ts';

const { rows, floorCallMs } = await serverLoad();
printTable(rows);
console.log({floorCallMs});
