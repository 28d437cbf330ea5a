import { serve } from './child.mjs';
import { callsOf, connectedClient } from './sdk-1.mjs';

serve(async (door) => callsOf(await connectedClient(door)));
