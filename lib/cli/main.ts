console.log('neardup');
