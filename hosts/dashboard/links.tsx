import { type ComponentChildren, createContext } from 'preact';
import { type PublicBase, publicBase } from '../http/public-base.ts';
import { DATA } from './page-protocol.ts';

/** Where the dashboard is; `documentOf` sets it for the whole page. */
export const Base = createContext<PublicBase>(publicBase('http://localhost'));

interface LinkProps {
  /** A path of the dashboard, without its public base, unless the component says otherwise. */
  to: string;
  class?: string;
  children?: ComponentChildren;
}

/** A link to a page of the dashboard. */
export function Link({
  to,
  ...rest
}: LinkProps & { 'aria-current'?: 'page' | undefined; 'aria-label'?: string }) {
  return <Base.Consumer>{(base: PublicBase) => <a href={base.path(to)} {...rest} />}</Base.Consumer>;
}

/** A link that leaves the dashboard. @param to the whole address, which the service has checked */
export function LinkOut({ to, ...rest }: LinkProps) {
  return <a href={to} rel="noreferrer" {...rest} />;
}

/** A button that sends its form to another path than the form's own. */
export function SubmitTo({
  to,
  proves,
  ...rest
}: LinkProps & {
  formNoValidate?: boolean;
  'aria-keyshortcuts'?: string;
  /** The script lets a passkey answer for the form first, with these options (JSON). */
  proves?: string;
}) {
  return (
    <Base.Consumer>
      {(base: PublicBase) => (
        <button {...rest} {...{ [DATA.proves]: proves }} type="submit" formaction={base.path(to)} />
      )}
    </Base.Consumer>
  );
}
