import { anImage, aTemplate, type Subject } from './policy-objects.ts';

/** An object somebody tries to delete; without words it may go. */
export type Deletion = {
  /** `policy/validation` that judges. */
  readonly rule: string;
  readonly subject: Subject;
  readonly status?: object;
  readonly words?: RegExp;
};

const image = { rule: 'terrain-vmdiskimage-in-use/unused', subject: anImage() };
const template = { rule: 'terrain-workspacetemplate-in-use/unused', subject: aTemplate([]) };

export const deletions: Readonly<Record<string, Deletion>> = {
  'an image nobody has counted yet': image,
  'an image without users': { ...image, status: { references: 0, referencedBy: [] } },
  'an image with one user': {
    ...image,
    status: { references: 1, referencedBy: ['team-a/web'] },
    words:
      /VMDiskImage team-a\/image is in use by 1 virtual machine \(team-a\/web\): delete them first, or point them to another image/,
  },
  'an image with three users': {
    ...image,
    status: { references: 3, referencedBy: ['team-a/web', 'team-a/db', 'lab/router'] },
    words: /is in use by 3 virtual machines \(team-a\/web, team-a\/db, lab\/router\): delete/,
  },
  'an image with many users': {
    ...image,
    status: { references: 200, referencedBy: ['team-a/web', 'team-a/db', 'lab/router'] },
    words: /is in use by 200 virtual machines \(team-a\/web, team-a\/db, lab\/router and others\): delete/,
  },
  'an image whose users have no names yet': {
    ...image,
    status: { references: 2 },
    words: /is in use by 2 virtual machines: delete/,
  },
  'a template nobody has counted yet': template,
  'a template without instances': { ...template, status: { instances: 0 } },
  'a template with one instance': {
    ...template,
    status: { instances: 1 },
    words: /WorkspaceTemplate workshop is in use by 1 instance: delete them first; kubectl get wsi --all-namespaces lists them/,
  },
  'a template with instances': {
    ...template,
    status: { instances: 40 },
    words: /WorkspaceTemplate workshop is in use by 40 instances: delete/,
  },
};
