import { inParallel } from './in-parallel.js';
import { ListProgress, pagesOf } from './key-ranges.js';

/**
 * @import { ListedVersion } from '../s3/bucket-admin.js'
 * @import { WalkOptions } from './cleanup.js'
 */

/**
 * @param {WalkOptions & { versioned: ReadonlySet<string> }} options
 * @param {(bucket: string, own: ListedVersion[]) => Promise<void>} visit gets a page of the run's versions
 */
export async function walkVersions({ admin, retry, keyspace, owns, versioned }, visit) {
  const buckets = keyspace.buckets.filter((bucket) => versioned.has(bucket));
  await inParallel(buckets, async (bucket) => {
    const progress = new ListProgress(bucket);
    let last = '';
    const pages = pagesOf((from) => retry(() => admin.listVersionsPage(bucket, keyspace.keyPrefix, from)));
    for await (const { versions, next } of pages) {
      const named = versions.flatMap((version) => {
        const name = keyspace.recognise(bucket, version.key);
        // Another version of the previous page's last key is not an object: it became the latest version only because
        // the object was removed.
        const isObject = version.isObject && version.key !== last;
        return name === null ? [] : [{ version: { ...version, isObject }, name }];
      });
      await visit(
        bucket,
        named.filter(({ name }) => owns(name)).map(({ version }) => version),
      );
      if (next !== null) {
        // A key can have any number of versions, so only a later key counts as progress.
        await progress.page(named.length > 0 && next.after > last);
        last = next.after;
      }
    }
  });
}
