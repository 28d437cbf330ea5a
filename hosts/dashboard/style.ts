/** What the dashboard adds to Pico. It is a string, so it survives any bundler. */
export const STYLE = `
:root {
  --pico-font-size: 100%;
  --pico-spacing: 0.9rem;
  --pico-typography-spacing-vertical: 0.9rem;
}
/* Enough contrast on cards too. */
:root:root { --pico-muted-color: light-dark(#5b6270, #9aa3b2); }
.container { max-width: 62rem; }
body > header, body > main, body > footer { padding-block: 0.9rem; }
.skip { position: absolute; inset-inline-start: 0.5rem; top: -6rem; z-index: 2; padding: 0.5rem 0.9rem; background: var(--pico-background-color); }
.skip:focus { top: 0.5rem; }
main:focus { outline: none; }
body > footer:empty { display: none; }
body > footer button { width: auto; padding: 0.2rem 0.8rem; font-size: 0.875rem; }
/* There is hardly a keyboard. */
@media (hover: none) { body > footer { display: none; } }
#keys .facts > div { grid-template-columns: 5rem 1fr; }
#keys .actions { margin-top: 0.9rem; }
body > header {
  display: flex;
  flex-wrap: wrap;
  align-items: center;
  gap: 0.4rem 1.4rem;
}
body > header::after {
  content: '';
  flex-basis: 100%;
  border-bottom: 1px solid var(--pico-muted-border-color);
}
.brand { font-weight: 700; color: var(--pico-color); text-decoration: none; }
body > header nav { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; flex: 1; justify-content: flex-start; }
body > header nav a { padding: 0.25rem 0; text-decoration: none; }
body > header nav a[aria-current] { border-bottom: 2px solid currentColor; }
#waiting-count:not(:empty) {
  margin-inline-start: 0.4em; padding: 0 0.5em; border-radius: 1em; font-size: 0.8125em; font-weight: 700;
  background: var(--pico-primary-background); color: var(--pico-primary-inverse);
}
/* For screen readers alone. */
#announcement { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
form.sign-out { display: flex; align-items: center; gap: 0.8rem; margin: 0; }
form.sign-out button { white-space: nowrap; }
form.sign-out .who { color: var(--pico-muted-color); font-size: 0.875rem; overflow-wrap: anywhere; }
form.sign-out button, .actions button, .button-like {
  width: auto;
  margin: 0;
  padding: 0.3rem 0.8rem;
  font-size: 0.875rem;
}
h1 { font-size: 1.6rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; }
main > section { margin-bottom: 2rem; }
.narrow { max-width: 30rem; }
.narrow.centered { margin-inline: auto; }
.approval, .key { box-shadow: none; border: 1px solid var(--pico-muted-border-color); }
.quiet { color: var(--pico-muted-color); font-size: 0.875rem; overflow-wrap: anywhere; }
.rows { padding: 0; margin-bottom: 1.8rem; }
.rows > li {
  list-style: none;
  margin: 0;
  padding: 0.7rem 0;
  border-bottom: 1px solid var(--pico-muted-border-color);
  overflow-wrap: anywhere;
}
.rows > li:first-child { border-top: 1px solid var(--pico-muted-border-color); }
.button-like {
  display: inline-block;
  border: 1px solid var(--pico-muted-border-color);
  border-radius: var(--pico-border-radius);
  border-color: var(--pico-secondary);
  color: var(--pico-secondary);
  text-align: center;
  text-decoration: none;
  line-height: var(--pico-line-height);
}
label.trust { display: flex; gap: 0.4rem; align-items: baseline; overflow-wrap: anywhere; }
label.trust > input { flex: none; position: relative; top: 0.15rem; }
dl.health { margin: 0.5rem 0; }
.health dd .state { margin-inline-end: 0.2rem; }
.urgent { border-color: light-dark(#b3261e, #f2938c); color: light-dark(#b3261e, #f2938c); font-weight: 700; }
.row-head { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: 0.3rem 1rem; }
.actions { display: flex; flex-wrap: wrap; gap: 0.6rem; margin-top: 0.5rem; }
.row-head .actions { margin-top: 0; }
.actions form { margin: 0; }
.actions + details { margin-top: 0.9rem; }
.state {
  display: inline-block;
  padding: 0.05rem 0.6rem;
  border: 1px solid currentColor;
  border-radius: 1rem;
  font-size: 0.8rem;
  white-space: nowrap;
  color: var(--pico-muted-color);
}
.state[data-state='pending'] { color: light-dark(#8a5a00, #f0b94d); }
.state[data-state='approved'] { color: var(--pico-primary); }
.state[data-state='executed'] { color: light-dark(#1a6b3c, #62c98c); }
.state[data-state='open'] { color: var(--pico-primary); }
.state[data-state='waiting'] { color: light-dark(#8a5a00, #f0b94d); }
.state[data-state='resolved'] { color: light-dark(#1a6b3c, #62c98c); }
.state[data-state='failing'] { color: light-dark(#8a5a00, #f0b94d); }
.state[data-state='delivered'], .state[data-state='on'] { color: light-dark(#1a6b3c, #62c98c); }
.state[data-state='failed'], .state[data-state='outcome_unknown'], .state[data-state='disabled'] { color: light-dark(#b3261e, #f2938c); }
.facts > div { display: grid; grid-template-columns: 9rem 1fr; gap: 0 1rem; padding: 0.25rem 0; }
.facts dt { font-weight: normal; color: var(--pico-muted-color); }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.facts ul { margin: 0; padding: 0; }
.facts ul li { list-style: none; margin: 0; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)); gap: 0 1.6rem; }
.sides > section { margin-bottom: 0.6rem; }
.sides .facts > div { grid-template-columns: 5.5rem 1fr; padding-inline-start: 0.6rem; border-inline-start: 3px solid transparent; }
.sides .facts > .changed { border-inline-start-color: light-dark(#c98500, #f0b94d); background: var(--pico-code-background-color); }
.lines { white-space: pre-wrap; }
.links { padding: 0; margin: 0.5rem 0 0; }
.links > li { list-style: none; margin: 0; padding: 0.3rem 0 0.3rem 0.8rem; border-left: 2px solid var(--pico-muted-border-color); font-size: 0.925rem; overflow-wrap: anywhere; }
.exact, .secret {
  display: block;
  padding: 0.9rem;
  margin-bottom: 1rem;
  border: 1px solid var(--pico-muted-border-color);
  border-radius: var(--pico-border-radius);
  background: var(--pico-code-background-color);
  color: var(--pico-color);
  font-family: var(--pico-font-family-monospace);
  font-size: 0.9rem;
  line-height: 1.5;
  overflow-wrap: anywhere;
}
.exact { white-space: pre-wrap; tab-size: 4; min-height: 2.9rem; }
.secret { user-select: all; margin-bottom: 0.5rem; }
.copy { width: auto; padding: 0.3rem 0.8rem; font-size: 0.875rem; margin-bottom: 1rem; }
form[data-passkey], .actions + .quiet { margin-top: 1.2rem; }
.qr { width: 13rem; max-width: 100%; margin-bottom: 1rem; border-radius: var(--pico-border-radius); }
.codes { columns: 2 13rem; }
.unseen { unicode-bidi: isolate; }
.unseen::before {
  content: '⟨' attr(data-code) '⟩';
  color: light-dark(#b3261e, #f2938c);
  font-size: 0.8em;
}
.note, .problem {
  padding: 0.6rem 0.9rem;
  border-left: 4px solid light-dark(#c98500, #f0b94d);
  background: var(--pico-code-background-color);
  border-radius: var(--pico-border-radius);
}
.problem { border-left-color: light-dark(#b3261e, #f2938c); margin-bottom: 1rem; }
.problem p:last-child { margin: 0; }
ul.note { list-style: none; }
ul.note li { list-style: none; margin: 0 0 0.25rem; }
ul.note li:last-child { margin: 0; }
.rows .findings { margin: 0.25rem 0; padding: 0 0 0 0.6rem; border-left: 3px solid light-dark(#c98500, #f0b94d); font-size: 0.875rem; }
.rows .findings li { list-style: none; margin: 0; }
#findings { padding: 0; }
#findings > li { list-style: none; margin: 0 0 0.4rem; padding: 0.3rem 0.7rem; border-left: 4px solid var(--pico-muted-border-color); background: var(--pico-code-background-color); overflow-wrap: anywhere; }
#findings > [data-severity='amber'] { border-left-color: light-dark(#c98500, #f0b94d); }
#findings > [data-severity='red'] { border-left-color: light-dark(#b3261e, #f2938c); }
#findings > [data-severity='red'] > b { color: light-dark(#b3261e, #f2938c); }
mark { scroll-margin-block: 8rem; padding: 0.05em 0; color: inherit; background: light-dark(#e3e6ea, #3a424d); }
mark[data-severity='amber'] { background: light-dark(#ffe6a6, #5c4300); }
mark[data-severity='red'] { background: light-dark(#ffd3cf, #6e1f1a); }
mark:target { outline: 2px solid currentColor; }
.exact > details { margin: 0; }
.exact summary { font-family: var(--pico-font-family); color: var(--pico-muted-color); }
.exact summary::before { content: attr(data-label); }
.risk { flex-basis: 100%; margin: 0; font-size: 0.925rem; }
#sentence { font-size: 1.15rem; font-weight: normal; line-height: 1.4; }
#sentence .quiet { font-weight: normal; }
#targets-title, #findings-count { font-size: 1rem; margin-bottom: 0.4rem; }
#purpose { overflow-wrap: anywhere; }
.more { margin: 0.3rem 0 0; }
.more summary { font-size: 0.875rem; }
#changes ins { text-decoration: none; font-weight: 700; }
#changes del::after { content: ' → '; display: inline-block; text-decoration: none; white-space: pre; }
.approval > section > .rows { margin-bottom: 0.9rem; }
.approval > header { margin-bottom: 0.9rem; padding-block: 0.6rem; }
.approval > header h1, .approval > header p { margin-bottom: 0.4rem; }
.approval > form.decision {
  position: sticky;
  bottom: 0;
  margin: 0.9rem calc(-1 * var(--pico-block-spacing-horizontal)) calc(-1 * var(--pico-block-spacing-vertical));
  padding: 0.7rem var(--pico-block-spacing-horizontal);
  border-top: 1px solid var(--pico-muted-border-color);
  border-radius: 0 0 var(--pico-border-radius) var(--pico-border-radius);
  background: var(--pico-card-background-color);
}
.decision { display: flex; flex-wrap: wrap; gap: 0.8rem; margin-top: 1.4rem; }
.decision button, .decision .button-like { width: auto; min-width: 9rem; margin: 0; }
.decision .button-like { display: flex; align-items: center; justify-content: center; font-size: 1rem; }
/* For the first second. */
button[aria-disabled='true'] { opacity: 0.5; }
.prove { flex-basis: 100%; margin: 0; }
.prove input { margin-bottom: 0; }
.change { margin: 0.9rem 0 0; }
.change textarea[name='text'] { font-family: var(--pico-font-family-monospace); font-size: 0.9rem; }
.change form { margin: 0; }
/* Its Approve would approve the request without the changes. */
.change[open] ~ form.decision:not(.preview) { display: none; }
.reasons { flex-basis: 100%; margin: 0; }
.reasons summary { font-size: 0.925rem; }
.reasons textarea { margin-bottom: 0.6rem; }
.reasons .buttons { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: 0.5rem; }
.decision .reasons button { min-width: 0; padding: 0.5rem; font-size: 0.925rem; }
.columns { display: grid; align-items: end; grid-template-columns: repeat(auto-fit, minmax(min(13rem, 100%), 1fr)); gap: 0 1rem; }
/* As high as a label around its field. */
.columns > div > label { margin-bottom: calc(var(--pico-spacing) * 0.25); }
.columns > div > select { margin-bottom: calc(var(--pico-spacing) * 1.375); }
.modes label { font-size: 0.875rem; }
.modes select { font-size: 0.875rem; padding-block: 0.35rem; height: auto; }
.modes { margin-top: 0.9rem; }
.modes small { display: block; font-weight: normal; color: var(--pico-muted-color); }
.key { padding: 1rem; overflow-wrap: anywhere; }
.key .note { margin: 0.6rem 0 0; }
.fences { margin: 0.9rem 0 0; }
.rows details { margin: 0.5rem 0 0; }
.pages { display: flex; gap: 1.2rem; }
.wide { overflow-x: auto; }
.wide table { font-size: 0.875rem; }
.wide td { white-space: nowrap; }
.run { margin-bottom: 1.6rem; }
.run > h2 { margin-bottom: 0.1rem; overflow-wrap: anywhere; }
.run > p { margin-bottom: 0.4rem; }
.events { padding: 0; margin: 0; border-top: 1px solid var(--pico-muted-border-color); }
.events > li { list-style: none; display: flex; gap: 0.8rem; margin: 0; padding: 0.3rem 0; border-bottom: 1px solid var(--pico-muted-border-color); overflow-wrap: anywhere; }
.events > li > time { flex: none; color: var(--pico-muted-color); font-variant-numeric: tabular-nums; }
.events > li > span { flex: 1; min-width: 0; }
.events bdi { font-weight: 600; }
fieldset { margin-bottom: 0.5rem; }
fieldset > legend { font-weight: 600; margin-bottom: 0.4rem; }
.key form > button { width: auto; margin: 0; padding: 0.3rem 0.8rem; font-size: 0.875rem; }
form button[type='submit']:not(.outline) { width: auto; min-width: 9rem; }
#reads { font-size: 0.875rem; }
#reads ul { padding: 0; margin: 0; }
#reads li { list-style: none; margin: 0 0 0.25rem; padding-left: 0.6rem; border-left: 3px solid var(--pico-muted-border-color); overflow-wrap: anywhere; }
#reads li[data-stranger='true'] { border-left-color: light-dark(#b3261e, #f2938c); }
@media (max-width: 36rem) {
  body > header nav { display: grid; grid-template-columns: repeat(3, auto); flex-basis: 100%; justify-content: start; gap: 0.1rem 1.6rem; }
  .wide thead { display: none; }
  .wide tr { display: block; padding: 0.5rem 0; border-bottom: 1px solid var(--pico-muted-border-color); }
  .wide td { display: inline; padding: 0; border: 0; white-space: normal; }
  .wide td:not(:empty) + td:not(:empty)::before { content: ' · '; }
  .facts > div { grid-template-columns: 1fr; }
  #repeated > div { grid-template-columns: 9rem 1fr; }
  .brand { flex: none; }
  form.sign-out, body > header > .who { flex: 1; min-width: 0; justify-content: end; text-align: end; }
  form.sign-out .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  body > header nav { order: 1; }
  body > header::after { order: 2; }
  .decision button, .decision .button-like { flex: 1; }
}
/* The first run. */
.steps { padding: 0; margin: 0; counter-reset: step; }
.steps > li { list-style: none; counter-increment: step; margin: 0; padding: 0.9rem 0; border-top: 1px solid var(--pico-muted-border-color); }
.steps > li > h2 { display: flex; flex-wrap: wrap; align-items: center; gap: 0.6rem; margin-bottom: 0.4rem; }
.steps > li > h2::before { content: counter(step) '.'; }
.steps > li[data-state='later'] > h2 { color: var(--pico-muted-color); font-weight: normal; }
.steps .state { color: light-dark(#1a6b3c, #62c98c); }
.first-call { padding: 0.6rem 0.9rem; border-left: 4px solid light-dark(#c98500, #f0b94d); background: var(--pico-code-background-color); border-radius: var(--pico-border-radius); }
.first-call[data-state='on'] { border-left-color: light-dark(#1a6b3c, #62c98c); color: light-dark(#1a6b3c, #62c98c); font-weight: 600; }
.exact.secret { white-space: pre-wrap; }
details > summary { line-height: 1.35; }
.way { margin-bottom: 0.6rem; }
.steps form { margin-bottom: 0.6rem; }
.way + p { margin-top: 1.4rem; }
.modes-in-words { margin: 0.4rem 0 0.3rem; }
.presets { margin-bottom: 0.9rem; font-size: 0.925rem; }
/* The list of requests. */
.visually-hidden { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
#members { margin-bottom: 0.9rem; }
.rows .sentence { flex: 1 1 14rem; color: var(--pico-color); text-decoration: none; overflow-wrap: anywhere; }
.rows .sentence:is(:hover, :focus-visible) { text-decoration: underline; }
.chips { display: flex; flex-wrap: wrap; gap: 0.3rem 0.4rem; margin: 0.3rem 0; padding: 0; }
.chips > li { list-style: none; margin: 0; padding: 0.05rem 0.55rem; border: 1px solid var(--pico-muted-border-color); border-radius: 0.4rem; font-size: 0.8125rem; }
.chips > [data-severity='amber'] { border-color: light-dark(#c98500, #f0b94d); }
.chips > [data-severity='red'] { border-color: light-dark(#b3261e, #f2938c); }
.chips > [data-severity='red'] > b { color: light-dark(#b3261e, #f2938c); }
.thread > .rows { margin: 0.4rem 0 0; padding-inline-start: 0.8rem; border-inline-start: 3px solid var(--pico-muted-border-color); }
.thread > .rows > li { border: 0; padding-block: 0.4rem; }
#just-decided { margin-bottom: 1rem; overflow-wrap: anywhere; }
#just-decided details { margin: 0; }
/* Requests that are decided together. */
.together > form.decision { display: block; position: static; border: 0; padding-block: 0; }
.together label { display: flex; gap: 0.3rem; align-items: baseline; margin: 0; padding-block: 0.2rem; }
.together label > input { flex: none; margin: 0; position: relative; top: 0.15rem; }
.together .target { display: block; }
.together .bar button { flex: 1; max-width: 14rem; padding-inline: 0.4rem; white-space: nowrap; }
.together .bar {
  position: sticky;
  bottom: 0;
  display: flex;
  flex-wrap: wrap;
  gap: 0.8rem;
  margin-inline: calc(-1 * var(--pico-block-spacing-horizontal));
  padding: 0.7rem var(--pico-block-spacing-horizontal);
  border-top: 1px solid var(--pico-muted-border-color);
  border-radius: 0 0 var(--pico-border-radius) var(--pico-border-radius);
  background: var(--pico-card-background-color);
}
@media (max-width: 22rem) {
  body > header nav { grid-template-columns: repeat(2, auto); }
}
.channel h3 { margin-bottom: 0.4rem; font-size: 1rem; }
.channel > :last-child, .channel form > :last-child { margin-bottom: 0; }
.channel #push-status:empty { display: none; }
.channel form + .quiet { margin-top: 0.6rem; }
`;
