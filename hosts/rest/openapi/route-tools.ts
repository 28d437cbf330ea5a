import { CATALOGUE, findTool } from '../../../core/tools/catalogue.ts';
import type { Tool } from '../../../core/tools/define-tool.ts';
import type { Route } from '../routes.ts';

/** The tools that a route can call. If its path names the tool: all of them. */
export function toolsOf({ call }: Route): readonly Tool[] {
  if (typeof call === 'string') return [];
  return call.tools.length === 0 ? CATALOGUE : call.tools.map(defined);
}

function defined(name: string): Tool {
  const tool = findTool(name);
  if (tool === undefined) throw new Error(`a route names the tool ${name}, which is not in the catalogue`);
  return tool;
}
