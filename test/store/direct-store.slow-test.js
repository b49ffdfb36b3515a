import { testStore } from './store-suite.js';

testStore('direct');
