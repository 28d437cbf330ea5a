import type { ComponentChildren } from 'preact';

/** One row of a list of facts. */
export function Fact(props: { name: string; id?: string; class?: string; children: ComponentChildren }) {
  return (
    <div class={props.class}>
      <dt>{props.name}</dt>
      <dd id={props.id}>{props.children}</dd>
    </div>
  );
}
