import { Choice, Form } from '../forms/forms.tsx';
import { type OwnerVisit, type Reply, redirect } from '../visit.ts';
import { When } from '../when.tsx';

/** The languages that the page offers. An app may set any other that the runtime knows. */
const LANGUAGES = (
  'ar bg bn ca cs da de-AT de-CH de-DE el en-AU en-CA en-GB en-IE en-IN en-NZ en-US en-ZA es-ES es-MX et eu fa fi fr-BE fr-CA ' +
  'fr-CH fr-FR ga gl he hi hr hu id is it ja ko lt lv ms nb nl-BE nl-NL pl pt-BR pt-PT ro sk sl sr sv ta th tr uk ur vi zh-Hans zh-Hant'
).split(' ');

export function DateLanguageSection(props: { language: string; zone: string; token: string; now: Date }) {
  const { language, zone, token, now } = props;
  const options = [...new Set([language, ...LANGUAGES])].map((tag) => [tag, nameOf(tag)] as const);
  return (
    <section aria-labelledby="date-language">
      <h2 id="date-language">Language of dates</h2>
      <p class="quiet">
        How dates are written here. The pages stay in English. This is now: <When at={now} zone={zone} />.
      </p>
      <Form action="/settings/date-language" token={token}>
        <Choice
          id="language"
          label="Language of dates"
          name="language"
          options={options.toSorted(([, one], [, other]) => one.localeCompare(other, 'en'))}
          value={language}
        />
        <button type="submit" class="outline">
          Save the language
        </button>
      </Form>
    </section>
  );
}

/** The names of the languages that the page offers, made when it is first shown. */
const names = new Map<string, string>();

/** In its own words: `Deutsch (Schweiz)`. */
function nameOf(tag: string): string {
  const name = names.get(tag) ?? displayName(tag);
  if (LANGUAGES.includes(tag)) names.set(tag, name);
  return name;
}

function displayName(tag: string): string {
  return new Intl.DisplayNames(tag, { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
}

export async function saveDateLanguage({ service, owner, fields }: OwnerVisit): Promise<Reply> {
  await service.owners.update(owner.ownerId, { language: fields.get('language') ?? '' });
  return redirect('/settings?notice=date_language_saved');
}
