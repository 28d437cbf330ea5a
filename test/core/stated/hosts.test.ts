import { describe, expect, it } from 'vitest';
import { hostsIn } from '../../../core/stated/hosts.ts';
import { linksIn } from '../../../core/stated/stated-values.ts';

const H = 'evil.example';

describe('hosts in ordinary writing', () => {
  it.each([
    [`https://${H},today`, [H]],
    [`'https://${H}'s`, [H]],
    [`**${H}**`, [H]],
    [`_${H}_`, [H]],
    [`__https://${H}__`, [H]],
    [`\`${H}\``, [H]],
    [`Website:${H}`, [H]],
    [`url=${H}&x`, [H]],
    [`//${H}|now`, [H]],
    [`see...${H}`, [H]],
    [`*https://${H}*, https://other.example.`, [H, 'other.example']],
    [`https://${H},https://other.example`, [H, 'other.example']],
    [`https://${H},other.example`, [H, 'other.example']],
    [`https://news.example/?to=https://${H}/x`, ['news.example', H]],
    [`https://${H}/${'a'.repeat(5000)}`, [H]],
    [`https://${H}?${'%41'.repeat(2000)}`, [H]],
    [`${'x'.repeat(3000)},https://${H}`, [H]],
    [`${'a.'.repeat(30)}${H}`, [`${'a.'.repeat(30)}${H}`]],
    [`https://${H}:8443/path`, [H]],
    [`HTTPS://EVIL.example.`, [H]],
    [`https://evil%2eexample/`, [H]],
    [`https://user:pw@${H}/`, [H]],
    [`https://${H}/file.page/x.y`, [H]],
    [`${H}/a/b.html`, [H]],
    [`evil。example`, [H]],
    [`https:/${H}/x`, [H]],
    [`https:///${H}/x`, [H]],
    [`HTTPS:\\${H}`, [H]],
    [`https:${H}`, [H]],
    [`docs/${H}`, [H]],
    [`ftp://${H}`, [H]],
    [`webcal://${H}/x`, [H]],
    [`-${H}`, [H]],
    [`${'-'.repeat(80)}${H}`, [H]],
    [`${H}-`, [H]],
    [`https://-${H}-/`, [H]],
    [`https://${'u'.repeat(3000)}@${H}/`, [H]],
    ['https://bank.example@localhost/', ['localhost']],
    ['http://localhost:8788/a.b', ['localhost']],
    ['https://[2001:DB8:0::7]/x', ['[2001:db8::7]']],
    ['http://3232235777/x', ['192.168.1.1']],
    ['http://0xC0A80101/x', ['192.168.1.1']],
    ['http://192.168.1.1:8080/x', ['192.168.1.1']],
    ['192.168.1.1/login', ['192.168.1.1']],
    ['claims.zip/login', ['claims.zip']],
    ['version 1.2.3.4', []],
    ['a report.zip and notes.sh', []],
    ['report.pdf/notes.pdf', []],
    ['report.pdf', []],
    [`it@${H}`, []],
    [`first.last@${H}`, []],
    [`first.last+tag@${H}`, []],
    ['https://', []],
    ['and/or', []],
    ['// comment', []],
    ['1.5', []],
  ])('%s', (text, hosts) => {
    expect(Array.from(linksIn(text), ({ host }) => host)).toEqual(hosts);
  });

  it('of an address is marked as the host of an address', () => {
    expect([...hostsIn(`write to it@${H}!`)]).toEqual([
      { host: H, kind: 'address', disguise: undefined, from: 9, to: 25 },
    ]);
  });
});
