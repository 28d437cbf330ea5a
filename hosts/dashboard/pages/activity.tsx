import { Link } from '../links.tsx';
import { Quoted } from '../third-party-text.tsx';
import { type OwnerVisit, page, type Reply } from '../visit.ts';
import { When } from '../when.tsx';

const ROWS = 200;

/** Every call and decision, newest first. */
export async function activityPage({ service, owner }: OwnerVisit): Promise<Reply> {
  const [rows, keys] = await Promise.all([
    service.owners.activity(owner.ownerId, ROWS),
    service.keys.list(owner.ownerId),
  ]);
  const names = new Map(keys.map(({ credentialId, name }) => [credentialId, name]));
  return page(
    'Activity',
    <>
      <h1>Activity</h1>
      {rows.length === 0 ? (
        <p class="quiet">No program has made a call yet.</p>
      ) : (
        <div class="wide">
          <table>
            <thead>
              <tr>
                <th scope="col">When</th>
                <th scope="col">What</th>
                <th scope="col">Key</th>
                <th scope="col">Tool</th>
                <th scope="col">Outcome</th>
                <th scope="col">Took</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr>
                  <td>
                    <When at={row.at} zone={owner.timezone} />
                  </td>
                  <td>
                    {row.approvalId === null ? (
                      row.kind
                    ) : (
                      <Link to={`/approvals/${row.approvalId}`}>{row.kind}</Link>
                    )}
                  </td>
                  <td>
                    {row.credentialId === null ? (
                      ''
                    ) : (
                      <Quoted text={names.get(row.credentialId) ?? 'unknown'} />
                    )}
                  </td>
                  <td>{row.tool === null ? '' : <Quoted text={row.tool} />}</td>
                  <td>
                    <Quoted text={row.outcome} />
                  </td>
                  <td>{Math.round(row.durationMs)} ms</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rows.length < ROWS ? null : <p class="quiet">Only the newest {ROWS} are shown.</p>}
    </>,
  );
}
