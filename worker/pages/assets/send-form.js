// An answer that goes back to an application by a form: sent at once, and without this by a button.
document.getElementById('send').submit();
