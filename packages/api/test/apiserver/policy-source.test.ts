import { describe, test } from 'node:test';
import type { Connection } from '@terrain/runtime';
import { assertRefused, create, policyCluster } from './policy-cluster.ts';
import { holders, pathOf, type Subject } from './policy-objects.ts';
import { acceptedUrls, refusedUrls, typeOf } from './policy-source-cases.ts';

const words: Record<keyof typeof refusedUrls, (path: string, url: string) => RegExp> = {
  wellFormed: (path) =>
    new RegExp(
      `${literal(path)}\\.url is ".*", which names no host to download from: write a URL such as|must name a host, such as`,
    ),
  withoutUser: (path) => new RegExp(`${literal(path)}\\.url has an @ before its path: put credentials into a Secret`),
  publicHost: (path) => new RegExp(`${literal(path)}\\.url names the host ".+", which is not public: write a public address`),
};

const literal = (text: string) => text.replaceAll(/[[\].]/g, '\\$&');
const source = (url: string) => ({ url, sourceType: typeOf(url), diskSize: '1Gi' });
const judge = async (subject: Subject): Promise<void> => create(await admin(), pathOf(subject, 'collection'), subject);
const admin = async (): Promise<Connection> => (await policyCluster()).connection();

for (const [kind, holder] of Object.entries(holders)) {
  const policy = `terrain-${kind.toLowerCase()}-source`;
  describe(`the source of a ${kind}`, () => {
    for (const [rule, urls] of Object.entries(refusedUrls) as [keyof typeof refusedUrls, Record<string, string>][]) {
      for (const [name, url] of Object.entries(urls)) {
        test(`is refused with ${name}: ${JSON.stringify(url)}`, () =>
          assertRefused(judge(holder.with(source(url))), policy, words[rule](holder.path, url)));
      }
    }
    for (const [name, url] of Object.entries(acceptedUrls)) {
      test(`is accepted with ${name}: ${url}`, () => judge(holder.with(source(url))));
    }
    test('is accepted when there is nothing to download', () => judge(holder.with({ sourceType: 'blank', diskSize: '1Gi' })));
  });
}
