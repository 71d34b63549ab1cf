export interface PinterestBoard {
  readonly id: string;
  readonly name: string;
  readonly sections: readonly { readonly id: string; readonly name: string }[];
}

export const BOARDS: readonly PinterestBoard[] = [
  {
    id: '549755885175',
    name: 'Recipes',
    sections: [
      { id: '549755885201', name: 'Salads' },
      { id: '549755885202', name: 'Soups' },
    ],
  },
  { id: '549755885176', name: 'Garden', sections: [] },
];

export const presentBoard = ({ id, name }: PinterestBoard, username: string) => ({
  id,
  name,
  description: null,
  privacy: 'PUBLIC',
  created_at: '2020-01-01T20:10:40',
  follower_count: 3,
  owner: { username },
});
